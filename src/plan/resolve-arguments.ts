/**
 * Every argument of every task, with where it comes from: given by the caller, wired from an earlier result, a value of the
 * request, learned from past runs, the schema's default; in this order. What is required and found nowhere is named.
 */
import type { Experience } from '../model/experience.js'
import { isObject, type Json, type JsonObject } from '../model/json.js'
import type { ArgumentOrigin, FieldLink, MissingArgument, PlanEdge } from '../model/plan.js'
import type { Assigned } from './assign-literals.js'
import { coerceGiven, coerceLiterals } from './coerce-literal.js'
import { primaryInput, type ShapedField, type ToolShape } from './describe-tool.js'
import { pointers } from './fit-fields.js'
import type { Clause } from './read-intent.js'
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

/** A value for a parameter that need not be there is taken only where the request plainly means it. */
const sureOptional = 0.6
/** A constant of past runs is taken where it was the rule. */
const habitual = 0.5

export function resolveArguments({ tasks, edges, given, experience }: ResolveOptions): Resolved {
  const lists = new Set(tasks.filter(({ isList }) => isList).map(({ id }) => id))
  const used = new Set<string>()
  const resolved: ResolvedTask[] = []
  const origins: ArgumentOrigin[] = []
  const missing: MissingArgument[] = []
  for (const task of tasks) {
    if (task.isDone) continue
    const incoming = edges.filter((edge) => edge.to === task.id)
    const sources = { task, incoming, tasks, edges, given, experience, lists, used }
    const found = new Map<ShapedField, Value>()
    const whole: string[] = []
    for (const field of task.shape.inputs) {
      if (whole.some((path) => isBeneath(field.path, path))) continue
      const value = valueOf(field, sources, found)
      if (value === undefined) continue
      found.set(field, value)
      if (field.isContainer) whole.push(field.path)
    }
    const args: Record<string, Json> = {}
    for (const [field, { value, ...origin }] of found) {
      setAt(args, concrete(field.path), value)
      origins.push({ task: task.id, argument: concrete(field.path), ...origin })
    }
    missing.push(...missingOf(task, found, whole))
    if (fansOut(args)) lists.add(task.id)
    resolved.push({ id: task.id, arguments: args })
  }
  return { tasks: resolved, origins, missing, unused: Object.keys(given).filter((key) => !used.has(key)) }
}

interface Sources {
  readonly task: OpenTask
  readonly incoming: readonly PlanEdge[]
  readonly tasks: readonly OpenTask[]
  readonly edges: readonly PlanEdge[]
  readonly given: JsonObject
  readonly experience: Experience
  /** Tasks that are done for each of something: their results are lists. */
  readonly lists: ReadonlySet<string>
  readonly used: Set<string>
}

function valueOf(field: ShapedField, sources: Sources, found: ReadonlyMap<ShapedField, Value>): Value | undefined {
  return (
    givenValue(field, sources) ??
    (field.isContainer
      ? undefined
      : (wiredValue(field, sources) ??
        literalValue(field, sources) ??
        elementValue(field, sources, found) ??
        learnedValue(field, sources) ??
        defaultValue(field)))
  )
}

function givenValue(field: ShapedField, { task, given, used }: Sources): Value | undefined {
  const names = [`${task.id}.${concrete(field.path)}`, `${task.id}.${field.path}`, `${task.id}.${field.name}`, concrete(field.path), field.path, field.name]
  const name = names.find((one) => Object.hasOwn(given, one))
  if (name === undefined) return undefined
  used.add(name)
  const { value, how } = coerceGiven(given[name]!, field)
  return { value, source: 'given', confidence: 1, why: 'given by the caller', ...(how && { coerced: how }) }
}

function wiredValue(field: ShapedField, sources: Sources): Value | undefined {
  let best: { readonly edge: PlanEdge; readonly link: FieldLink } | undefined
  for (const edge of sources.incoming)
    for (const link of edge.fields)
      if (link.input === field.path && (best === undefined || link.score > best.link.score)) best = { edge, link }
  if (best === undefined) return undefined
  const { edge, link } = best
  const producer = sources.tasks.find(({ id }) => id === edge.from)!
  const output = producer.shape.outputs.find(({ path }) => path === link.output)
  const { value, coerced } = reference(producer, output, field, sources)
  const confidence = Math.min(edge.probability, 0.4 + 0.6 * link.score)
  return {
    value,
    source: 'wired',
    confidence,
    why: `${link.output === '' ? 'the result' : link.output} of ${edge.from}`,
    ...(coerced && { coerced }),
  }
}

/** `{"$from": ...}` into the producer's result, as the input wants it: each, the first, or all in a list. */
function reference(
  producer: OpenTask,
  output: ShapedField | undefined,
  input: ShapedField,
  { task, lists }: Sources,
): { readonly value: Json; readonly coerced?: string } {
  const isList = lists.has(producer.id)
  const takesList = input.types.has('array') && !input.types.has('string')
  const selector = picksFirst(task.clause) ? '[0]' : '[*]'
  const many = output === undefined ? false : output.types.has('array') && !output.types.has('string')
  const path = output?.path ?? ''
  const inLists = path.includes('[*]')
  const wantsEach = forEach(task, producer)
  let text = producer.id + (isList ? '[*]' : '')
  const dotted = path === '' || path.startsWith('[') ? path : `.${path}`
  if (takesList) {
    text += dotted
    if (isList || inLists || many) {
      // Each of many into a list of its own, or all into one.
      const value = isList && wantsEach && !many ? [{ $from: text }] : { $from: text }
      return { value }
    }
    return { value: [{ $from: text }], coerced: 'a single value as a list of one' }
  }
  text += wantsEach || isList ? dotted : dotted.replaceAll('[*]', selector)
  const isLines = output !== undefined && !many && !inLists && !isList && (output.format === 'lines' || producer.givesEach)
  if ((many || isLines) && !(isObjectList(output) && input.types.has('string') && !wantsEach && !picksFirst(task.clause)))
    text += wantsEach ? '[*]' : many ? selector : ''
  return convert(text, output, input)
}

function convert(
  text: string,
  output: ShapedField | undefined,
  input: ShapedField,
): { readonly value: Json; readonly coerced?: string } {
  const from = output?.types ?? new Set<string>()
  const ends = text.endsWith('[*]') || text.endsWith('[0]') ? (output?.itemTypes ?? from) : from
  const isNumeric = input.types.has('number') || input.types.has('integer')
  if (isNumeric && ends.has('string') && !input.types.has('string'))
    return { value: { $from: text, $as: 'number' }, coerced: 'text as a number' }
  const isText = input.types.has('string') && input.types.size === 1
  if (isText && ends.size > 0 && !ends.has('string'))
    return { value: { $from: text, $as: 'text' }, coerced: `${[...ends].join(' or ')} as text` }
  return { value: { $from: text } }
}

function isObjectList(output: ShapedField | undefined): boolean {
  return output?.isContainer === true && output.types.has('array')
}

function forEach(task: OpenTask, producer: OpenTask): boolean {
  if (picksFirst(task.clause)) return false
  return task.clause.forEach || producer.clause.forEach || producer.givesEach || /\b(?:them|their|they|those|these)\b/i.test(task.clause.text)
}

function picksFirst({ text }: Clause): boolean {
  return /\b(?:first|top|best|latest|newest|oldest|cheapest|nearest|any one)\b/i.test(text)
}

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
function elementValue(field: ShapedField, { task, incoming, tasks, lists }: Sources, found: ReadonlyMap<ShapedField, Value>): Value | undefined {
  if (!field.isRequiredHere || !field.types.has('string') || !field.words.every((word) => pointers.has(word))) return undefined
  if (![...found.values()].some(({ value }) => fansOut(value)) && !incoming.some(({ from }) => lists.has(from))) return undefined
  const source = tasks.find((one) => one.givesEach && isBefore(one, task, tasks))
  const output = source?.shape.outputs.find((one) => one.types.has('string') && !one.isContainer)
  if (source === undefined || output === undefined) return undefined
  return {
    value: { $from: `${source.id}${output.path === '' ? '' : `.${output.path}`}[*]` },
    source: 'wired',
    confidence: 0.6,
    why: `each of ${output.path || 'the result'} of ${source.id}`,
  }
}

function isBefore(one: OpenTask, other: OpenTask, tasks: readonly OpenTask[]): boolean {
  return tasks.indexOf(one) < tasks.indexOf(other)
}

function learnedValue(field: ShapedField, { task, tasks, experience, lists }: Sources): Value | undefined {
  const place = field.path.replaceAll('[*]', '[]')
  for (const { argument, how, count, of } of experience.habits(task.shape.tool.id)) {
    if (argument !== place || count / Math.max(1, of) < habitual) continue
    const confidence = (count + 1) / (of + 2)
    const times = `in ${count} of ${of} past ${of === 1 ? 'run' : 'runs'}`
    if (how.kind === 'constant' && field.isRequiredHere)
      return { value: coerceGiven(how.value, field).value, source: 'learned', confidence, why: `it was this ${times}` }
    if (how.kind !== 'wired') continue
    const producer = tasks.find((one) => one.shape.tool.id === how.from && isBefore(one, task, tasks))
    if (producer === undefined) continue
    const dotted = how.path === '' || how.path.startsWith('[') ? how.path : `.${how.path}`
    const text = `${producer.id}${lists.has(producer.id) && !dotted.startsWith('[') ? '[*]' : ''}${dotted}`
    return { value: { $from: text }, source: 'learned', confidence, why: `it came from ${how.from} ${times}` }
  }
  return undefined
}

function defaultValue(field: ShapedField): Value | undefined {
  if (!field.isRequired || field.default === undefined) return undefined
  return { value: field.default, source: 'default', confidence: 0.8, why: "the schema's default" }
}

function missingOf(
  task: OpenTask,
  found: ReadonlyMap<ShapedField, Value>,
  whole: readonly string[],
): readonly MissingArgument[] {
  const set = [...found.keys()].map(({ path }) => path)
  return task.shape.inputs.flatMap((field) => {
    if (found.has(field) || field.isContainer || whole.some((path) => isBeneath(field.path, path))) return []
    const holder = holderOf(field.path)
    const isNeeded = field.isRequired || (field.isRequiredHere && holder !== '' && set.some((path) => isBeneath(path, holder)))
    if (!isNeeded) return []
    const type = [...field.types].join(' or ')
    const description = field.description || describeUnnamed(field, task)
    return [{ task: task.id, argument: concrete(field.path), description, ...(type && { type }) }]
  })
}

function describeUnnamed(field: ShapedField, { shape }: OpenTask): string {
  return field === primaryInput(shape) ? `what ${shape.tool.name} works on` : `${field.name} of ${shape.tool.name}`
}

/** A list of the schema has one place in the arguments: the first. */
function concrete(path: string): string {
  return path.replaceAll('[*]', '[0]')
}

function holderOf(path: string): string {
  return path.replace(/(?:\.[^.[\]]+|\["(?:[^"\\]|\\.)*"\])$/, '').replace(/^[^.[\]]+$/, '')
}

function isBeneath(path: string, holder: string): boolean {
  return path.startsWith(holder) && path.length > holder.length && /[.[]/.test(path[holder.length]!)
}

/** It holds a reference that is taken element by element. */
function fansOut(value: Json): boolean {
  if (isObject(value)) {
    if (typeof value.$from === 'string') return value.$from.includes('[*]')
    return Object.values(value).some((one) => fansOut(one as Json))
  }
  return Array.isArray(value) && value.some((one) => fansOut(one as Json))
}
