/**
 * The ways in which an argument is filled, as text and back: `result files:list_directory #FILE unused`. A way says where to look, never
 * what stands there (but for a constant), so that it can be kept.
 */
import { z } from 'zod'
import type { Json } from '../../../model/json.js'
import type { ToolId } from '../../../model/tool.js'

export type Way =
  | { readonly kind: 'constant'; readonly value: Json }
  | { readonly kind: 'same' }
  /** A number, or a day. */
  | { readonly kind: 'step'; readonly by: number }
  /** Of the newest call of that tool. */
  | { readonly kind: 'argument'; readonly tool: ToolId; readonly argument: string }
  | { readonly kind: 'result'; readonly tool: ToolId; readonly path: string; readonly pick: Pick | 'all' }
  /** Several arguments, each from its field of one row. */
  | {
      readonly kind: 'row'
      readonly tool: ToolId
      readonly fields: readonly (readonly [argument: string, path: string])[]
      readonly pick: Pick
    }
  | { readonly kind: 'request'; readonly shape: string; readonly pick: Pick }
  /** An argument of that tool's newest call, a slash, and an entry of its result. */
  | {
      readonly kind: 'join'
      readonly tool: ToolId
      readonly argument: string
      readonly path: string
      readonly pick: Pick | 'all'
    }

/**
 * Which one of several; `all` of them, for an argument that is a list. `unused`: not given to this argument in this session yet; `after`: behind the one given last; with the number of those
 * that are passed over. `named`: it, or what stands beside it in its row, is in the request.
 */
export type Pick = (typeof picks)[number]

export const picks = [
  'first',
  'last',
  'unused0',
  'unused1',
  'unused2',
  'after0',
  'after1',
  'after2',
  'named',
] as const

/** What is counted together where little is known of a way by itself: its kind, and how it picks. */
export function wayClass(way: Way): string {
  return 'pick' in way ? pickClasses[way.kind][way.pick] : way.kind
}

/** Asked for thousands of times a look. */
const pickClasses = {
  result: classesOf('result'),
  row: classesOf('row'),
  request: classesOf('request'),
  join: classesOf('join'),
}

function classesOf(kind: string): Readonly<Record<Pick | 'all', string>> {
  const names = [...picks, 'all'].map((pick) => [pick, `${kind} ${pick}`])
  return Object.fromEntries(names) as Record<Pick | 'all', string>
}

/** The same way always gives the same text. A constant's value is not in it. */
export function formatWay(way: Way): string {
  switch (way.kind) {
    case 'constant':
    case 'same':
      return way.kind
    case 'step':
      return `step ${way.by}`
    case 'argument':
      return JSON.stringify(['argument', way.tool, way.argument])
    case 'result':
      return JSON.stringify(['result', way.tool, way.path, way.pick])
    case 'row':
      return JSON.stringify(['row', way.tool, way.fields, way.pick])
    case 'request':
      return JSON.stringify(['request', way.shape, way.pick])
    case 'join':
      return JSON.stringify(['join', way.tool, way.argument, way.path, way.pick])
  }
}

/** Undefined where it is none of ours: of a later version, or damaged. */
export function readWay(text: string, value: Json | undefined): Way | undefined {
  if (text === 'constant') return value === undefined ? undefined : { kind: 'constant', value }
  if (text === 'same') return { kind: 'same' }
  if (text.startsWith('step ')) {
    const by = Number(text.slice('step '.length))
    return Number.isInteger(by) && by !== 0 ? { kind: 'step', by } : undefined
  }
  try {
    const read = wayParts.safeParse(JSON.parse(text))
    return read.success ? fromParts(read.data) : undefined
  } catch {
    return undefined
  }
}

const pick = z.enum(picks)
const pickOrAll = z.enum([...picks, 'all'])
const wayParts = z.union([
  z.tuple([z.literal('argument'), z.string(), z.string()]),
  z.tuple([z.literal('result'), z.string(), z.string(), pickOrAll]),
  z.tuple([z.literal('row'), z.string(), z.array(z.tuple([z.string(), z.string()])).min(2), pick]),
  z.tuple([z.literal('request'), z.string(), pick]),
  z.tuple([z.literal('join'), z.string(), z.string(), z.string(), pickOrAll]),
])

function fromParts(parts: z.output<typeof wayParts>): Way {
  switch (parts[0]) {
    case 'argument':
      return { kind: 'argument', tool: parts[1] as ToolId, argument: parts[2] }
    case 'result':
      return { kind: 'result', tool: parts[1] as ToolId, path: parts[2], pick: parts[3] }
    case 'row':
      return { kind: 'row', tool: parts[1] as ToolId, fields: parts[2], pick: parts[3] }
    case 'request':
      return { kind: 'request', shape: parts[1], pick: parts[2] }
    case 'join':
      return { kind: 'join', tool: parts[1] as ToolId, argument: parts[2], path: parts[3], pick: parts[4] }
  }
}
