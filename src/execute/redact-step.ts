import type { Plan } from '../model/plan.js'
import { type Redact, redactData } from '../model/redact.js'
import { redactDecision, redactTask } from '../model/redact-run.js'
import type { RunCommand } from '../model/run-command.js'
import type { Step } from './journal.js'

/** A step as it is stored: without secrets. Hashes are of what was meant. */
export function redactStep(step: Step, redact: Redact): Step {
  return {
    ...step,
    ...(step.plan !== undefined && { plan: redactPlan(step.plan, redact) }),
    tasks: step.tasks.map((task) => redactTask(task, redact)),
    decisions: step.decisions.map((decision) => redactDecision(decision, redact)),
    progress: {
      ...step.progress,
      messages: step.progress.messages.map((message) => ({ ...message, text: redact(message.text) })),
      context: redactData(step.progress.context, redact),
      commands: step.progress.commands.map(({ id, command }) => ({
        id,
        command: redactCommand(command, redact),
      })),
    },
  }
}

function redactPlan({ intent, tasks }: Plan, redact: Redact): Plan {
  return {
    ...(intent !== undefined && { intent: redact(intent) }),
    tasks: tasks.map((task) => ({ ...task, arguments: redactData(task.arguments, redact) })),
  }
}

function redactCommand(command: RunCommand, redact: Redact): RunCommand {
  switch (command.type) {
    case 'inject':
      return { ...command, tasks: redactPlan({ tasks: command.tasks }, redact).tasks }
    case 'replan':
      return {
        ...command,
        requirement: redact(command.requirement),
        tasks: redactPlan({ tasks: command.tasks }, redact).tasks,
      }
    case 'modify':
      return { ...command, arguments: redactData(command.arguments, redact) }
    case 'skip':
      return command.reason === undefined ? command : { ...command, reason: redact(command.reason) }
    case 'decide': {
      const { answer } = command
      return answer.reason === undefined
        ? command
        : { ...command, answer: { ...answer, reason: redact(answer.reason) } }
    }
    default:
      return command
  }
}
