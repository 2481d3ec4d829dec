import { z } from 'zod'
import { describeIssue, formatPath } from '../../config/describe-issue.js'
import { UsageError } from '../../errors.js'
import type { AdaptiveThreshold } from '../../model/adaptive-threshold.js'
import type { Edge } from '../../model/edge.js'
import { isObject, type Json } from '../../model/json.js'
import { parseToolId } from '../../model/tool.js'
import type { ToolPreference } from '../../model/tool-preference.js'
import type { BetaRow, OutputSchema } from '../../store/store.js'

/** What was learned, to be carried to another machine: sums and shapes, nothing of what anybody asked for, gave or got. */
export interface MemoryFile {
  readonly format: 'pml-memory'
  readonly version: 1
  readonly exportedAt: number
  readonly edges: readonly Edge[]
  readonly outputSchemas: readonly OutputSchema[]
  readonly betaStates: readonly BetaRow[]
  readonly thresholds: readonly AdaptiveThreshold[]
  readonly preferences: readonly ToolPreference[]
  /** Weights of the signals that say what comes next, by name. */
  readonly ranker?: Ranker
}

export interface Ranker {
  readonly version: number
  readonly weights: Readonly<Record<string, number>>
}

export const memoryVersion = 1

/** @throws UsageError that says what is wrong with it, and nothing of what stands there beside that */
export function readMemoryFile(given: unknown): MemoryFile {
  if (!isObject(given) || given.format !== 'pml-memory')
    throw new UsageError(
      'This is no memory of PML: it lacks "format": "pml-memory".',
      'Such a file is made by: pml memory export FILE',
    )
  if (typeof given.version === 'number' && given.version > memoryVersion)
    throw new UsageError(
      `This memory is of version ${given.version}, made by a newer PML; this one reads versions up to ${memoryVersion}.`,
      'Update PML, or export it again with this version.',
    )
  const read = fileSchema.safeParse(given)
  if (read.success) return read.data as unknown as MemoryFile
  const [first] = read.error.issues.flatMap((issue) => describeIssue(issue, given, () => []))
  const more = read.error.issues.length > 1 ? ` (and ${read.error.issues.length - 1} more)` : ''
  throw new UsageError(
    `This memory cannot be read: ${formatPath(first!.path)}: ${first!.expected}${more}.`,
    'Nothing was changed. Export it again: pml memory export FILE',
  )
}

/** What counts of an int column add up to, a thousand files of it. */
const mostSeen = 2_000_000
/** Far beyond any: what is above what outcomes can give is cut when it is taken. */
const highestBeta = 1_000_000
/** A schema holds at most some 10 KB; this is one that nobody inferred. */
const longestSchema = 100_000
const latestTime = 8.64e15

const count = z.int().min(0).max(mostSeen)
const time = z.number().min(0).max(latestTime)
const tool = z
  .string()
  .max(10_000)
  .refine((id) => parseToolId(id) !== undefined, 'the id of a tool, server:name')
const edgeSchema = z
  .strictObject({
    from: tool,
    to: tool,
    type: z.enum(['dependency', 'contains', 'provides', 'alternative', 'sequence']),
    source: z.enum(['inferred', 'observed']),
    count: count.min(1),
    successes: count,
    failures: count,
    firstSeen: time.optional(),
    lastSeen: time.optional(),
  })
  .refine(({ from, to }) => from !== to, 'two tools')
  .refine(
    ({ count, successes, failures }) => successes + failures <= count,
    'no more successes and failures than it was seen',
  )
const outputSchema = z.strictObject({
  tool,
  schema: z
    .record(z.string(), z.unknown())
    .refine((schema) => isShort(schema), `a schema of at most ${longestSchema} characters`),
  version: count.min(1),
  samples: count.min(1),
  updatedAt: time,
})
const betaSchema = z.strictObject({
  id: tool,
  alpha: z.number().min(1).max(highestBeta),
  beta: z.number().min(1).max(highestBeta),
  observations: count,
  updatedAt: time,
})
const thresholdSchema = z.strictObject({
  context: z.string().max(1_000),
  // The bounds of DESIGN 9 and 3.
  suggest: z.number().min(0.4).max(0.9),
  execute: z.number().min(0.85).max(0.95),
  window: z.array(z.enum(['true-positive', 'false-positive', 'false-negative', 'true-negative'])).max(50),
  outcomes: count,
  updatedAt: time,
})
const preferenceSchema = z.strictObject({
  tool,
  approvals: count,
  rejections: count,
  streak: z.int().min(-mostSeen).max(mostSeen),
  updatedAt: time,
})
const fileSchema = z.strictObject({
  format: z.literal('pml-memory'),
  version: z.literal(memoryVersion),
  exportedAt: time,
  edges: z.array(edgeSchema).max(200_000),
  outputSchemas: z.array(outputSchema).max(50_000),
  betaStates: z.array(betaSchema).max(50_000),
  thresholds: z.array(thresholdSchema).max(10_000),
  preferences: z.array(preferenceSchema).max(50_000),
  ranker: z.strictObject({ version: z.int(), weights: z.record(z.string(), z.number()) }).optional(),
})

function isShort(schema: unknown): boolean {
  try {
    return JSON.stringify(schema).length <= longestSchema
  } catch {
    return false
  }
}

/** The part of the ranker's state that says nothing of sessions: what was called after what, and what for, stays here. */
export function rankerOf(state: Json | undefined): Ranker | undefined {
  if (!isObject(state) || typeof state.version !== 'number' || !isObject(state.weights)) return undefined
  const weights = Object.entries(state.weights).filter(
    (entry): entry is [string, number] => typeof entry[1] === 'number',
  )
  return { version: state.version, weights: Object.fromEntries(weights) }
}
