import type { PickedTool } from './picked-tool.js'
import type { Literal } from './read/find-literals.js'
import type { Intent } from './read/read-intent.js'
import type { Wired } from './wire/wire-tools.js'

/** `read a.txt and b.txt` with a tool that takes one path is two calls: the tools with one call more; undefined where there is none. */
export function repeatForValues(
  picks: readonly PickedTool[],
  intent: Intent,
  { literals }: Pick<Wired, 'literals'>,
): readonly PickedTool[] | undefined {
  if (picks.length >= mostPicks) return undefined
  const taken = new Set(literals.flatMap((one) => one.literals.map(({ start }) => start)))
  for (const { tool, field, literals: own } of literals) {
    const pick = picks[tool]!
    const [value] = own
    if (pick.by !== 'intent' || value === undefined || field.types.has('array')) continue
    const clause = intent.clauses[pick.clause]!
    if (
      clause.literals.some(
        (other) => !taken.has(other.start) && isListedWith(value, other, clause.literals, intent.text),
      )
    )
      return [...picks, pick]
  }
  return undefined
}

/** As many as a plan chooses. */
const mostPicks = 40

/** Of one kind, with nothing but commas, an `and` and others of the kind between them. */
function isListedWith(a: Literal, b: Literal, all: readonly Literal[], text: string): boolean {
  if (a.kind !== b.kind || b.start <= a.start) return false
  let between = ''
  let at = a.end
  for (const one of all) {
    if (one.start < at || one.start >= b.start || one.kind !== a.kind) continue
    between += text.slice(at, one.start)
    at = one.end
  }
  between += text.slice(at, b.start)
  return /^[\s,&]*(?:and[\s,]*)*$/i.test(between.replaceAll(',', ' '))
}
