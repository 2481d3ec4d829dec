/** The one line of a program's last words that says what went wrong; the rest of a stack trace is for the log. */
export function tellingLine(stderr: string): string {
  const lines = stderr
    .replace(/\u001b\[[0-9;]*[A-Za-z]/g, '')
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line.trim() !== '')
  const told = lines.findLast((line) => named.test(line)) ?? lines.findLast((line) => loud.test(line))
  return (told ?? lines.findLast((line) => !noise.test(line)) ?? lines.at(-1) ?? '').trim().slice(0, longest)
}

const longest = 300

/** `Error: ...` of Node, `ModuleNotFoundError: ...` of Python, `panic: ...` of Go; at the start of a line, as they write it. */
const named =
  /^(?:Uncaught )?(?:[\w.$]*(?:Error|Exception)(?: \[\w+\])?:|panic: |thread '.*' panicked|Fatal Python error)/
const loud =
  /^\s*(?:(?:\[[\w -]{0,40})?\b(?:error|fatal|critical)\b|npm (?:error|ERR!) (?!code|A complete log|errno|\s*$))/i
/** Frames of a trace, carets, closing braces, and what Node and npm write below everything. */
const noise =
  /^\s*(?:at |\^|[{}[\](),;]+\s*$|throw |File "|Node\.js v|npm (?:error|ERR!)|node:internal|Require stack|- |\w+: (?:'|\[|\d))/
