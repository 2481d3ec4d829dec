import type { ErrorInfo } from '../model/run.js'

/** What to do next, for who sits at a terminal: hints of the gateway name the tools that agents have. */
export function terminalHint({ code, hint }: ErrorInfo): string {
  return hints[code] ?? hint
}

const hints: Readonly<Record<string, string>> = {
  TOOL_NOT_FOUND: 'Find tools with: pml search WORDS, or list them with: pml tools',
  RUN_NOT_FOUND: 'List runs with: pml runs',
}
