import { createContext, Script } from 'node:vm'

const script = new Script('work()')
const context = createContext({ work: undefined })

/**
 * Runs synchronous work that may take for ever, and ends it when its time is up: the one way to do so within a thread.
 * Costs some 90 microseconds, so only for work that is suspect. Throws when the time ran out.
 */
export function withinBudget<T>(ms: number, work: () => T): T {
  context.work = work
  try {
    return script.runInContext(context, { timeout: ms }) as T
  } finally {
    context.work = undefined
  }
}
