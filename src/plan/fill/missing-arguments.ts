import type { MissingArgument } from '../../model/plan.js'
import { primaryInput, type ShapedField, type ToolShape } from '../wire/describe-tool.js'
import { firstPlace } from './given-name.js'

/**
 * What a call must have and has not. What need not be there needs nothing, but once a part of it is there, what belongs to that must
 * be, too: `options.user` without `options.password`.
 */
export function missingArguments(
  task: { readonly id: string; readonly shape: ToolShape },
  /** Fields that have a value, containers that were given whole among them. */
  found: ReadonlySet<ShapedField>,
): readonly MissingArgument[] {
  const { inputs } = task.shape
  const whole = [...found].filter(({ isContainer }) => isContainer)
  const isSet = (path: string): boolean => [...found].some((field) => isBeneath(field.path, path))
  const needed = inputs.filter(
    (field) =>
      !found.has(field) &&
      !whole.some(({ path }) => isBeneath(field.path, path)) &&
      isNeeded(field, inputs, isSet),
  )
  const leaves = needed.filter(({ path, isContainer }) => !isContainer || !path.endsWith('[*]'))
  // A container is named where nothing in it is.
  const named = needed.filter(
    ({ path, isContainer }) =>
      !isContainer ||
      !(path.endsWith('[*]') || isSet(path) || leaves.some((other) => isBeneath(other.path, path))),
  )
  return named.map((field) => describe(field, task))
}

function isNeeded(
  field: ShapedField,
  inputs: readonly ShapedField[],
  isSet: (path: string) => boolean,
): boolean {
  if (field.isRequired) return true
  for (let at: ShapedField | undefined = field; at?.isRequiredHere; ) {
    const holder = holderOf(at.path)
    if (holder === undefined) return true
    if (isSet(holder)) return true
    at = inputs.find(({ path }) => path === holder)
  }
  return false
}

function describe(
  field: ShapedField,
  { id, shape }: { readonly id: string; readonly shape: ToolShape },
): MissingArgument {
  const type = [...field.types].join(' or ')
  return {
    task: id,
    argument: firstPlace(field.path),
    description: field.description || describeUnnamed(field, shape),
    ...(type && { type }),
  }
}

function describeUnnamed(field: ShapedField, shape: ToolShape): string {
  return field === primaryInput(shape)
    ? `what ${shape.tool.name} works on`
    : `${field.name} of ${shape.tool.name}`
}

/** `options` of `options.user`, `list[*]` of `list[*].name`, `list` of `list[*]`; undefined for what stands at the top. */
function holderOf(path: string): string | undefined {
  const holder = path.replace(/(?:\.[^.[\]]+|\["(?:[^"\\]|\\.)*"\]|\[\*\])$/, '')
  return holder === path || holder === '' ? undefined : holder
}

export function isBeneath(path: string, holder: string): boolean {
  return path.startsWith(holder) && path.length > holder.length && /[.[]/.test(path[holder.length]!)
}
