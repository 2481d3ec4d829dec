import { StoreError } from '../../errors.js'
import type { PmlConfig } from '../../model/config.js'
import { withinMs } from '../../model/within-ms.js'
import type { GatewayRuns } from '../runs.js'
import { type RunView, viewOf } from './run-view.js'

export interface CommandDeps {
  config(): PmlConfig
  readonly runs: GatewayRuns
}

/**
 * What a run was told is carried out when it is stored, which takes as long as the database is away; a reply does not wait for that.
 * `late` is the run as it is then, and what was told still counts.
 */
export async function withinReply<Value>(
  told: Promise<Value>,
  what: string,
  id: string,
  { config, runs }: CommandDeps,
): Promise<{ readonly done: Value } | { readonly late: RunView }> {
  const outcome = await withinMs(
    told.then((done) => ({ done })),
    config().replyWithinMs,
    undefined,
  )
  if (outcome !== undefined) return outcome
  const handle = runs.underWay(id)
  // It would be read from the store, which is what does not answer.
  if (handle === undefined) throw unknownOutcome(what)
  const view = viewOf(handle)
  return { late: { ...view, trouble: notYet(what, view.trouble) } }
}

function unknownOutcome(what: string): StoreError {
  return new StoreError(
    `The database does not answer in time. Whether "${what}" is carried out is open.`,
    'Look at the workflow with the action status before sending it again.',
  )
}

function notYet(what: string, trouble: string | undefined): string {
  const why = trouble === undefined ? 'The database does not answer in time.' : trouble.replace(/\.?$/, '.')
  return `${why} "${what}" is not carried out yet: it is when the database is back, so do not send it again.`
}
