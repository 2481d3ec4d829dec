import type { Literal } from '../read/find-literals.js'
import type { Clause, Intent } from '../read/read-intent.js'
import type { Assigned } from './assign-literals.js'
import type { ToolShape } from './describe-tool.js'
import type { ToolPlace } from './place-tools.js'
import type { Field } from './schema-fields.js'

/** One of few that may stand there, said in as many letters. */
const said = 0.8

/** Values of enums that a clause says in plain words: `with high priority`, for parameters that no other value fills. */
export function assignChoices(
  intent: Intent,
  shapes: readonly ToolShape[],
  places: readonly ToolPlace[],
  assigned: readonly Assigned[],
): readonly Assigned[] {
  return shapes.flatMap((shape, tool) => {
    const clause = intent.clauses[places[tool]!.clause]
    if (clause === undefined) return []
    const filled = new Set(assigned.filter((one) => one.tool === tool).map(({ field }) => field.path))
    return shape.inputs.flatMap((field): readonly Assigned[] => {
      if (field.choices === undefined || field.isContainer || filled.has(field.path)) return []
      const literal = spokenChoice(field, clause)
      return literal === undefined ? [] : [{ tool, field, literals: [literal], score: said }]
    })
  })
}

/** What need not be there is taken only where it is named; two that are said contradict each other. */
function spokenChoice(field: Field, clause: Clause): Literal | undefined {
  if (!field.isRequired && !clause.words.some(({ stem, isValue }) => !isValue && field.words.includes(stem)))
    return undefined
  const found = field.choices!.flatMap((choice) => findChoice(choice, clause) ?? [])
  const [one, ...others] = found.filter(
    (some) => !found.some((other) => other !== some && other.start <= some.start && other.end >= some.end),
  )
  return others.length === 0 ? one : undefined
}

/** In words of its own: not within a value, and not as the verb that the clause begins with. */
function findChoice(choice: unknown, { text, start, words, literals }: Clause): Literal | undefined {
  if (typeof choice !== 'string' || choice.length < 2 || choice.length > text.length) return undefined
  const first = words[0]?.at ?? start
  const folded = text.toLowerCase()
  const wanted = choice.toLowerCase()
  for (let at = folded.indexOf(wanted); at >= 0; at = folded.indexOf(wanted, at + 1)) {
    const place = start + at
    const isWord = !isLetter(text[at - 1]) && !isLetter(text[at + choice.length])
    const isValue = literals.some(
      (one) => one.kind !== 'name' && place < one.end && place + choice.length > one.start,
    )
    if (isWord && !isValue && place !== first)
      return { kind: 'name', text: choice, start: place, end: place + choice.length }
  }
  return undefined
}

function isLetter(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}_]/u.test(character)
}
