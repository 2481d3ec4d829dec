import type { OutcomeSpool, SpooledOutcome } from './outcome-spool.js'

/** A spool without a file, for tests that are about something else. */
export function memorySpool(
  left: readonly SpooledOutcome[] = [],
): OutcomeSpool & { readonly lines: SpooledOutcome[] } {
  const lines: SpooledOutcome[] = [...left]
  return {
    left,
    lines,
    append: (outcome) => void lines.push(outcome),
    keepOnly: (outcomes) => void lines.splice(0, lines.length, ...outcomes),
    close() {},
  }
}
