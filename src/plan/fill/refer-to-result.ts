/**
 * `{"$from": ...}` into what an earlier task gives, as an input wants it:
 *
 *     search.files[*].path      one call for each
 *     search.files[0].path      the first
 *     search.files              all of them, where the input takes a list
 */
import type { Json } from '../../model/json.js'
import type { Clause } from '../read/read-intent.js'
import type { ShapedField } from '../wire/describe-tool.js'
import type { OpenTask } from './resolve-arguments.js'

export interface Referred {
  readonly value: Json
  readonly coerced?: string
}

export interface ReferOptions {
  /** The task that takes it. */
  readonly task: OpenTask
  readonly input: ShapedField
  readonly producer: OpenTask
  /** Undefined: nobody knows what the producer gives; its whole result is meant. */
  readonly output: ShapedField | undefined
  /** The producer is done for each of something: its result is a list. */
  readonly isList: boolean
}

export function referToResult(options: ReferOptions): Referred {
  return takesListAlone(options.input) ? referToList(options) : referToOne(options)
}

/** `task.path`, where the path may also begin with a place in a list. */
export function joinReference(task: string, path: string): string {
  return path === '' || path.startsWith('[') ? task + path : `${task}.${path}`
}

function referToList({ task, producer, output, isList }: ReferOptions): Referred {
  const path = output?.path ?? ''
  const text = joinReference(producer.id + (isList ? '[*]' : ''), path)
  const isMany = givesListAlone(output)
  if (!isList && !path.includes('[*]') && !isMany)
    return { value: [{ $from: text }], coerced: 'a single value as a list of one' }
  // Each of many into a list of its own, or all into one.
  return { value: isList && !isMany && wantsEach(task, producer) ? [{ $from: text }] : { $from: text } }
}

function referToOne({ task, input, producer, output, isList }: ReferOptions): Referred {
  const isFirst = picksFirst(task.clause)
  const selector = isFirst ? '[0]' : '[*]'
  const path = (output?.path ?? '').replaceAll('[*]', selector)
  const text = joinReference(producer.id + (isList ? selector : ''), path)
  return convert(text + endOf({ task, input, producer, output, isList }, selector), output, input)
}

/** A list in the end is taken one by one, and so are lines; a list of objects may also be meant as the text it is. */
function endOf({ task, input, producer, output, isList }: ReferOptions, selector: string): string {
  const isEach = wantsEach(task, producer)
  // What was added for each of what it gives, gives many, whether it says so or not.
  if (output === undefined) return producer.givesEach && isEach ? '[*]' : ''
  if (givesListAlone(output)) {
    const isText = output.isContainer && input.types.has('string') && !isEach && !picksFirst(task.clause)
    return isText ? '' : selector
  }
  const isLines = !output.path.includes('[*]') && !isList && (output.format === 'lines' || producer.givesEach)
  return isLines && isEach ? '[*]' : ''
}

function convert(text: string, output: ShapedField | undefined, input: ShapedField): Referred {
  const whole = output?.types ?? new Set<string>()
  const from = text.endsWith('[*]') || text.endsWith('[0]') ? (output?.itemTypes ?? whole) : whole
  const isNumeric = input.types.has('number') || input.types.has('integer')
  if (isNumeric && from.has('string') && !input.types.has('string'))
    return { value: { $from: text, $as: 'number' }, coerced: 'text as a number' }
  const isText = input.types.has('string') && input.types.size === 1
  if (isText && from.size > 0 && !from.has('string'))
    return { value: { $from: text, $as: 'text' }, coerced: `${[...from].join(' or ')} as text` }
  return { value: { $from: text } }
}

function takesListAlone({ types }: ShapedField): boolean {
  return types.has('array') && !types.has('string')
}

function givesListAlone(output: ShapedField | undefined): boolean {
  return output !== undefined && takesListAlone(output)
}

function wantsEach(task: OpenTask, producer: OpenTask): boolean {
  if (picksFirst(task.clause)) return false
  return task.clause.forEach || producer.clause.forEach || producer.givesEach || many.test(task.clause.text)
}

const many = /\b(?:them|their|they|those|these)\b/i

function picksFirst({ text }: Clause): boolean {
  return first.test(text)
}

const first = /\b(?:first|top|best|latest|newest|oldest|cheapest|nearest|any one)\b/i
