import type { Tool, ToolDefinition } from '../model/tool.js'

/** The longest definition that is compared line by line; beyond it only the common start and end are taken off. */
const maxLines = 400

/** What changed in a quarantined tool, for a person: lines of the old with `-`, of the new with `+`, a little around them. */
export function diffDefinitions(tool: Tool): string {
  if (tool.changed === undefined) return ''
  return diffLines(toLines(tool.definition), toLines(tool.changed.definition)).join('\n')
}

function toLines(definition: ToolDefinition): readonly string[] {
  const { title, description, annotations, inputSchema, outputSchema } = definition
  const parts = { title, annotations, inputSchema, outputSchema }
  const text = (description ?? '').split('\n').map((line) => `description: ${line}`)
  return [...text, ...JSON.stringify(parts, null, 2).split('\n')].map(showUnseen)
}

/** Text hidden from people is what a malicious change is made of, so it is written out. */
function showUnseen(line: string): string {
  return line.replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}]/gu,
    (one) => `\\u{${one.codePointAt(0)!.toString(16)}}`,
  )
}

function diffLines(a: readonly string[], b: readonly string[]): readonly string[] {
  let start = 0
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1
  let end = 0
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end])
    end += 1
  const context = (line: string): string => `  ${line}`
  return [
    ...a.slice(Math.max(0, start - 2), start).map(context),
    ...diffMiddle(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...a.slice(a.length - end, a.length - end + 2).map(context),
  ]
}

/** Longest common subsequence by the textbook table. */
function diffMiddle(a: readonly string[], b: readonly string[]): readonly string[] {
  if (a.length > maxLines || b.length > maxLines)
    return [...a.map((line) => `- ${line}`), ...b.map((line) => `+ ${line}`)]
  const common = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1))
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      common[i]![j] =
        a[i] === b[j] ? common[i + 1]![j + 1]! + 1 : Math.max(common[i + 1]![j]!, common[i]![j + 1]!)
  const lines: string[] = []
  let i = 0
  let j = 0
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push(`  ${a[i]}`)
      i += 1
      j += 1
    } else if (j >= b.length || (i < a.length && common[i + 1]![j]! >= common[i]![j + 1]!)) {
      lines.push(`- ${a[i]}`)
      i += 1
    } else {
      lines.push(`+ ${b[j]}`)
      j += 1
    }
  }
  return lines
}
