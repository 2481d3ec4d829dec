import type { Plan } from '../model/plan.js'
import { type Redact, redactData } from '../model/redact.js'
import { redactCommand, redactDecision, redactPlannedTasks, redactTask } from '../model/redact-run.js'
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
    tasks: redactPlannedTasks(tasks, redact),
  }
}
