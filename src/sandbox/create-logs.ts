import type { SandboxLog } from './sandbox.js'

export interface Logs {
  /** False: it goes on long after it was cut, which the Worker never does. */
  add(log: SandboxLog): boolean
  all(): readonly SandboxLog[]
}

/** Lines of the console up to so many characters; what is cut is marked, and is no error. */
export function createLogs(mostChars: number): Logs {
  const logs: SandboxLog[] = []
  let chars = 0
  let isCut = false
  return {
    add({ level, text }) {
      const left = mostChars - chars
      // An empty line costs something too.
      chars += text.length + 1
      if (!isCut) {
        if (text.length <= left) logs.push({ level, text })
        else {
          isCut = true
          if (left > 0) logs.push({ level, text: text.slice(0, left) })
          logs.push({ level: 'warn', text: `(cut: the console keeps ${mostChars} characters)` })
        }
      }
      return chars <= 2 * mostChars + 10_000
    },
    all: () => logs,
  }
}
