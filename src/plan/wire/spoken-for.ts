import type { Clause } from '../read/read-intent.js'
import { primaryInput, type ShapedField, type ToolShape } from './describe-tool.js'
import { wantedKinds } from './fit-literal.js'

/** The parameter that `it` stands for: `save its content` means the content, `translate it` what translating is about. */
export function spokenFor(clause: Clause, shape: ToolShape): ShapedField | undefined {
  if (!clause.pointsBack && !clause.isVague) return undefined
  return shape.inputs.find((input) => isPointedAt(input, clause)) ?? plainPrimary(shape)
}

const pointer = /\b(?:its|their|the|this|that|these|those|each|every) (?:[a-z]+['’]s )?$/i
const nameWindow = 15

function isPointedAt(input: ShapedField, clause: Clause): boolean {
  if (input.isContainer) return false
  return clause.words.some(({ stem, at, isValue }) => {
    if (isValue || !input.words.includes(stem)) return false
    if (clause.literals.some(({ start }) => start > at && start - at < nameWindow + stem.length)) return false
    return pointer.test(clause.text.slice(Math.max(0, at - clause.start - 40), at - clause.start))
  })
}

/** `it` is hardly a date, a path or an address where the tool asks for something else besides. */
function plainPrimary(shape: ToolShape): ShapedField | undefined {
  const primary = primaryInput(shape)
  if (primary === undefined || wantedKinds(primary) === undefined) return primary
  return (
    shape.inputs.find(
      (field) => field.isRequired && !field.isContainer && wantedKinds(field) === undefined,
    ) ?? primary
  )
}
