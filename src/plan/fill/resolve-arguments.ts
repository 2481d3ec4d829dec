/**
 * Every argument of every task, with where it comes from: given by the caller, wired from an earlier result, a value of the
 * request, learned from past runs, the schema's default; in this order. What is required and found nowhere is named.
 */
import type { Experience } from '../../model/experience.js'
import type { Json, JsonObject } from '../../model/json.js'
import type { ArgumentOrigin, MissingArgument, PlanEdge } from '../../model/plan.js'
import type { Clause } from '../read/read-intent.js'
import type { Assigned } from '../wire/assign-literals.js'
import type { ShapedField, ToolShape } from '../wire/describe-tool.js'
import { pointers } from '../wire/fit-fields.js'
import { coerceGiven, coerceLiterals } from './coerce-literal.js'
import { isDoneForEach, untangleLists } from './done-for-each.js'
import { firstPlace, givenName } from './given-name.js'
import { isBeneath, missingArguments } from './missing-arguments.js'
import { joinReference, referToResult } from './refer-to-result.js'
import { setAt } from './set-at.js'

export interface OpenTask {
  readonly id: string
  readonly shape: ToolShape
  readonly clause: Clause
  /** Values of the request that are its own. */
  readonly literals: readonly Assigned[]
  /** It was added because another needs each of what it gives. */
  readonly givesEach: boolean
  /** It has been done: others are wired to its result. */
  readonly isDone: boolean
  /** Of one that has been done: it was done for each of something, and its result is a list. */
  readonly isList: boolean
}

export interface ResolveOptions {
  /** In a topological order. */
  readonly tasks: readonly OpenTask[]
  /** Between task ids. */
  readonly edges: readonly PlanEdge[]
  readonly given: JsonObject
  readonly experience: Experience
}

export interface ResolvedTask {
  readonly id: string
  readonly arguments: JsonObject
}

export interface Resolved {
  readonly tasks: readonly ResolvedTask[]
  readonly origins: readonly ArgumentOrigin[]
  readonly missing: readonly MissingArgument[]
  /** What was given and nobody takes. */
  readonly unused: readonly string[]
}

type Value = Omit<ArgumentOrigin, 'task' | 'argument'> & { readonly value: Json }
type Found = ReadonlyMap<ShapedField, Value>

export function resolveArguments({ tasks, edges, given, experience }: ResolveOptions): Resolved {
  const lists = new Set(tasks.filter(({ isList }) => isList).map(({ id }) => id))
  const used = new Set<string>()
  const resolved: ResolvedTask[] = []
  const origins: ArgumentOrigin[] = []
  const missing: MissingArgument[] = []
  for (const [at, task] of tasks.entries()) {
    if (task.isDone) continue
    const incoming = edges.filter((edge) => edge.to === task.id)
    const found = findValues({ task, incoming, before: tasks.slice(0, at), given, experience, lists, used })
    const args = untangleLists(toArguments(found), task.shape.tool)
    if (isDoneForEach(args, task.shape.tool)) lists.add(task.id)
    for (const [field, { value: _, ...origin }] of found)
      origins.push({ task: task.id, argument: firstPlace(field.path), ...origin })
    missing.push(...missingArguments(task, new Set(found.keys())))
    resolved.push({ id: task.id, arguments: args })
  }
  return { tasks: resolved, origins, missing, unused: Object.keys(given).filter((key) => !used.has(key)) }
}

interface Sources {
  readonly task: OpenTask
  readonly incoming: readonly PlanEdge[]
  /** Tasks whose results are there when this one starts, or could be. */
  readonly before: readonly OpenTask[]
  readonly given: JsonObject
  readonly experience: Experience
  /** Tasks that are done for each of something: their results are lists. */
  readonly lists: ReadonlySet<string>
  readonly used: Set<string>
}

/** What is found for a container is found for all that it holds. */
function findValues(sources: Sources): Found {
  const found = new Map<ShapedField, Value>()
  const whole: string[] = []
  for (const field of sources.task.shape.inputs) {
    if (whole.some((path) => isBeneath(field.path, path))) continue
    const value = field.isContainer ? wholeValue(field, sources) : findValue(field, sources, found)
    if (value === undefined) continue
    found.set(field, value)
    if (field.isContainer) whole.push(field.path)
  }
  return found
}

function toArguments(found: Found): JsonObject {
  const args: Record<string, Json> = {}
  for (const [field, { value }] of found) setAt(args, firstPlace(field.path), value)
  return args
}

function findValue(field: ShapedField, sources: Sources, found: Found): Value | undefined {
  return (
    givenValue(field, sources) ??
    wiredValue(field, sources) ??
    literalValue(field, sources) ??
    elementValue(field, sources, found) ??
    learnedValue(field, sources) ??
    defaultValue(field)
  )
}

function givenValue(field: ShapedField, { task, given, used }: Sources): Value | undefined {
  const name = givenName(given, task.id, field)
  if (name === undefined) return undefined
  used.add(name)
  const { value, how } = coerceGiven(given[name]!, field)
  return { value, source: 'given', confidence: 1, why: 'given by the caller', ...(how && { coerced: how }) }
}

/** Lists of objects are passed on whole where the one holds all that the other must have. */
function wholeValue(field: ShapedField, sources: Sources): Value | undefined {
  const given = givenValue(field, sources)
  if (given !== undefined || !field.types.has('array')) return given
  return wiredValue(field, sources, (producer, output) => {
    if (!output.isContainer || !output.types.has('array')) return false
    const held = new Set(leavesOf(output, producer.shape.outputs))
    const wanted = leavesOf(
      field,
      sources.task.shape.inputs.filter(({ isRequired }) => isRequired),
    )
    return wanted.length > 0 && wanted.every((name) => held.has(name))
  })
}

function leavesOf({ path }: ShapedField, fields: readonly ShapedField[]): readonly string[] {
  return fields
    .filter((field) => !field.isContainer && isBeneath(field.path, path))
    .map((field) => field.path.slice(path.length))
}

type Accepts = (producer: OpenTask, output: ShapedField) => boolean

function wiredValue(
  field: ShapedField,
  { task, incoming, before, lists }: Sources,
  accepts?: Accepts,
): Value | undefined {
  const [best] = incoming
    .flatMap((edge) =>
      edge.fields.filter(({ input }) => input === field.path).map((link) => ({ edge, link })),
    )
    .toSorted((a, b) => b.link.score - a.link.score)
  if (best === undefined) return undefined
  const { edge, link } = best
  const producer = before.find(({ id }) => id === edge.from)!
  const output = producer.shape.outputs.find(({ path }) => path === link.output)
  if (accepts !== undefined && !(output !== undefined && accepts(producer, output))) return undefined
  const { value, coerced } = referToResult({
    task,
    input: field,
    producer,
    output,
    isList: lists.has(producer.id),
  })
  return {
    value,
    source: 'wired',
    confidence: Math.min(edge.probability, 0.4 + 0.6 * link.score),
    why: `${link.output === '' ? 'the result' : link.output} of ${edge.from}`,
    ...(coerced && { coerced }),
  }
}

/** A value for a parameter that need not be there is taken only where the request plainly means it. */
const sureOptional = 0.6

function literalValue(field: ShapedField, { task }: Sources): Value | undefined {
  const assigned = task.literals.find((one) => one.field.path === field.path)
  if (assigned === undefined || (!field.isRequired && assigned.score < sureOptional)) return undefined
  const coerced = coerceLiterals(assigned.literals, field)
  if (coerced === undefined) return undefined
  const words = assigned.literals.map(({ text }) => JSON.stringify(text)).join(', ')
  return {
    value: coerced.value,
    source: 'literal',
    confidence: Math.min(0.98, 0.5 + assigned.score / 2),
    why: `${words} in the request`,
    ...(coerced.how && { coerced: coerced.how }),
  }
}

/** What is done for each of a list names its thing by the element: `store each file's name`. */
function elementValue(
  field: ShapedField,
  { task, incoming, before, lists }: Sources,
  found: Found,
): Value | undefined {
  if (!field.isRequiredHere || !field.types.has('string') || !field.words.every((word) => pointers.has(word)))
    return undefined
  if (!isDoneForEach(toArguments(found), task.shape.tool) && !incoming.some(({ from }) => lists.has(from)))
    return undefined
  const source = before.find(({ givesEach }) => givesEach)
  if (source === undefined) return undefined
  const output = source.shape.outputs.find((one) => one.types.has('string') && !one.isContainer)
  if (output === undefined && source.shape.outputs.length > 0) return undefined
  const path = output?.path ?? ''
  return {
    value: { $from: joinReference(source.id, path.includes('[*]') ? path : `${path}[*]`) },
    source: 'wired',
    confidence: 0.6,
    why: `each of ${path || 'the result'} of ${source.id}`,
  }
}

/** A way of filling it that past runs had is taken where it was the rule. */
const habitual = 0.5
/** What was so once may have been so for that one thing. */
const leastSeen = 2

function learnedValue(field: ShapedField, { task, before, experience, lists }: Sources): Value | undefined {
  const place = field.path.replaceAll('[*]', '[]')
  for (const { argument, how, count, of } of experience.habits(task.shape.tool.id)) {
    if (argument !== place || count / Math.max(1, of) < habitual) continue
    const times = `in ${count} of ${of} past ${of === 1 ? 'run' : 'runs'}`
    const learned = { source: 'learned', confidence: (count + 1) / (of + 2) } as const
    if (how.kind === 'constant' && field.isRequiredHere && count >= leastSeen)
      return { ...learned, value: coerceGiven(how.value, field).value, why: `it was this ${times}` }
    if (how.kind !== 'wired') continue
    const producer = before.find((one) => one.shape.tool.id === how.from)
    if (producer === undefined) continue
    const each = lists.has(producer.id) && !how.path.startsWith('[') ? '[*]' : ''
    const value = { $from: joinReference(producer.id + each, how.path) }
    return { ...learned, value, why: `it came from ${how.from} ${times}` }
  }
  return undefined
}

function defaultValue(field: ShapedField): Value | undefined {
  if (!field.isRequired || field.default === undefined) return undefined
  return { value: field.default, source: 'default', confidence: 0.8, why: "the schema's default" }
}
