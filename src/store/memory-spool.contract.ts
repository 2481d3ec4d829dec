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
    clear: () => void lines.splice(0),
    close() {},
  }
}
