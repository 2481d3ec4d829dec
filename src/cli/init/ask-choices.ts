import type { ClientName } from '../../clients/client-format.js'
import type { Ask } from './ask.js'
import { type Choices, chooseChanges, type InitPlan } from './plan-init.js'

/** One question per thing that changes; undefined where nothing is to change. `everything` is what may be asked for. */
export async function askChoices(
  plan: InitPlan,
  everything: Choices,
  ask: Ask,
): Promise<Choices | undefined> {
  const count = Object.keys(plan.imports.added).length
  const servers = count === 1 ? '1 server' : `${count} servers`
  if (count > 0 && !(await ask.agrees(`Write ${servers} to ${plan.configFile}?`))) return undefined
  const connect: ClientName[] = []
  for (const { name, title } of plan.connectable) {
    if (everything.connect.includes(name) && (await ask.agrees(`Point ${title} at PML?`))) connect.push(name)
  }
  if (count === 0 && connect.length === 0) return undefined
  const { copyable } = await chooseChanges(plan, { ...everything, connect })
  const copySecrets =
    everything.copySecrets || (copyable.length > 0 && (await ask.agrees(copyQuestion(copyable))))
  return { connect, copySecrets }
}

function copyQuestion(names: readonly string[]): string {
  const what = names.length === 1 ? 'one secret' : `${names.length} secrets`
  return `Keep ${what} in secrets.env, for you alone to read, so that PML has them whoever starts it?`
}
