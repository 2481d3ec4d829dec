import type { Decision, DecisionAnswer } from './decision.js'
import type { PlannedTask } from './plan.js'
import { type Redact, redactData } from './redact.js'
import type { ErrorInfo, Run, TaskOutcome } from './run.js'
import type { RunCommand } from './run-command.js'

/**
 * A run as it is kept and shown: intent, arguments, results and errors without secrets. What it is made of beside them, ids and
 * statuses, is ours and stays: a secret may be a plain word.
 */
export function redactRun(run: Run, redact: Redact): Run {
  return {
    ...run,
    ...(run.intent !== undefined && { intent: redact(run.intent) }),
    tasks: run.tasks.map((task) => redactTask(task, redact)),
    ...(run.decisions !== undefined && {
      decisions: run.decisions.map((decision) => redactDecision(decision, redact)),
    }),
  }
}

/** A decision as it is kept and shown. Its hash is of the arguments as they were. */
export function redactDecision(decision: Decision, redact: Redact): Decision {
  return {
    ...decision,
    caller: redact(decision.caller),
    arguments: redactData(decision.arguments, redact),
    why: redact(decision.why),
    soFar: redact(decision.soFar),
    ...(decision.answer !== undefined && { answer: redactReason(decision.answer, redact) }),
  }
}

export function redactTask(task: TaskOutcome, redact: Redact): TaskOutcome {
  return {
    ...task,
    arguments: redactData(task.arguments, redact),
    ...(task.result !== undefined && { result: redactData(task.result, redact) }),
    ...(task.error !== undefined && { error: redactError(task.error, redact) }),
  }
}

export function redactError({ code, message, hint }: ErrorInfo, redact: Redact): ErrorInfo {
  return { code, message: redact(message), hint: redact(hint) }
}

/** A command as it is kept and told: without secrets in what somebody said with it. What it names, tasks and decisions, stays. */
export function redactCommand(command: RunCommand, redact: Redact): RunCommand {
  switch (command.type) {
    case 'pause':
    case 'resume':
    case 'continue':
    case 'retry':
      return command
    case 'abort':
    case 'skip':
      return redactReason(command, redact)
    case 'replan':
      return {
        ...command,
        requirement: redact(command.requirement),
        tasks: redactPlannedTasks(command.tasks, redact),
      }
    case 'inject':
      return { ...command, tasks: redactPlannedTasks(command.tasks, redact) }
    case 'modify':
      return { ...command, arguments: redactData(command.arguments, redact) }
    case 'decide':
      return { ...command, answer: redactReason(command.answer, redact) }
  }
}

export function redactPlannedTasks(tasks: readonly PlannedTask[], redact: Redact): readonly PlannedTask[] {
  return tasks.map((task) => ({
    ...task,
    arguments: redactData(task.arguments, redact),
    ...(task.program !== undefined && { program: { code: redact(task.program.code) } }),
    ...(typeof task.onError === 'object' && {
      onError: { default: redactData(task.onError.default, redact) },
    }),
  }))
}

function redactReason<Said extends DecisionAnswer | RunCommand>(
  said: Said & { readonly reason?: string },
  redact: Redact,
): Said {
  return said.reason === undefined ? said : { ...said, reason: redact(said.reason) }
}
