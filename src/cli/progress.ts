import { coloursFor } from './colour.js'
import type { Io } from './io.js'

export interface Progress {
  /** Something begins; what was going on before has ended. */
  step(name: string): void
  /** Something was found out on the way. */
  note(text: string): void
  done(name: string): void
}

/** What a start is busy with and how long each step took, on standard error: plain lines, one per step. */
export function createProgress(io: Io, now: () => number = () => performance.now()): Progress {
  const { dim, green } = coloursFor(io, io.stderr)
  const start = now()
  let current: { readonly name: string; readonly since: number } | undefined

  return {
    step(name) {
      finish()
      current = { name, since: now() }
    },
    note(text) {
      io.stderr.write(`  ${text}\n`)
    },
    done(name) {
      finish()
      io.stderr.write(`${green(name)} ${dim(`(${seconds(now() - start)})`)}\n`)
    },
  }

  function finish(): void {
    if (current !== undefined)
      io.stderr.write(`${current.name} ${dim(`(${seconds(now() - current.since)})`)}\n`)
    current = undefined
  }
}

function seconds(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`
}
