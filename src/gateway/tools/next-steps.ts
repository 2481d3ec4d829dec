import { type Decision, isPending } from '../../model/decision.js'
import type { Run, RunStatus } from '../../model/run.js'
import { howToAnswer } from '../ask-person.js'
import type { RunView } from './run-view.js'

/** How to go on from here, as calls that can be made; undefined where all is done. */
export function nextSteps({ run, isUnderWay }: Pick<RunView, 'run' | 'isUnderWay'>): string | undefined {
  const call = (action: string, more = ''): string =>
    `control_workflow {"workflow_id":"${run.id}","action":"${action}"${more}}`
  const pending = run.decisions?.find(isPending)
  switch (run.status) {
    case 'running':
      if (!isUnderWay)
        return `The gateway that ran it has ended, and nobody works on it now: ${call('resume')} takes it up again.`
      return pending === undefined
        ? `Ask again with ${call('status')}`
        : `Ask again with ${call('status')}. ${answers(pending, call)}`
    case 'paused':
      return `${call('resume')} goes on. ${changes}`
    case 'layer_complete':
      return `${call('continue')} starts what comes next, with "mode":"run" all that is left. ${changes}`
    case 'approval_required':
    case 'interrupted':
      return pending === undefined
        ? `Ask again with ${call('status')}`
        : `${answers(pending, call)} Other actions: "skip" with task, "modify" with task and arguments, "abort".`
    case 'failed':
    case 'partial_failure':
      return again(run, call)
    default:
      return undefined
  }
}

const changes =
  'Before that it can be changed: "modify" with task and arguments, "skip" with task, "inject" with tasks, "replan" with requirement. "abort" ends it.'

type Call = (action: string, more?: string) => string

function answers(decision: Decision, call: Call): string {
  const which = `,"decision":"${decision.id}"`
  const yes = decision.kind === 'repeat' ? 'calls it again' : 'lets it be called'
  const agent =
    decision.answeredBy === 'anyone'
      ? `So can you: ${call('approve', which)} ${yes}, "reject" does not.`
      : `You cannot approve it, only refuse it: ${call('reject', which)}. Tell the user, then ask with ${call('status')}.`
  return `${howToAnswer(decision)} ${agent}`
}

function again({ tasks }: Run, call: Call): string | undefined {
  const failed = tasks.find(({ parent, status }) => parent === undefined && status === 'failed')
  if (failed === undefined) return undefined
  const which = `,"task":${JSON.stringify(failed.id)}`
  return `${call('retry', which)} does it again, and what it kept from running; "modify" with task and arguments does so with others.`
}

/** What a run in this state can be told; for who told it something else. */
export const actionsIn: Readonly<Record<RunStatus, string>> = {
  running: 'status, pause, modify and skip of tasks that have not started, inject, replan, abort',
  paused: 'resume, modify, skip, retry, inject, replan, abort',
  layer_complete: 'continue, modify, skip, retry, inject, replan, abort',
  approval_required: 'approve, reject, modify, skip, pause, inject, replan, abort',
  interrupted: 'approve (call again), reject, retry, skip, modify, inject, replan, abort',
  complete: 'inject, replan',
  partial_failure: 'retry, modify, inject, replan',
  failed: 'retry, modify, inject, replan',
  aborted: 'retry, modify, inject, replan',
}
