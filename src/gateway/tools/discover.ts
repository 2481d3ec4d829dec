import { declareTools } from '../../capabilities/program/declare-tools.js'
import { isCapabilityId } from '../../model/capability.js'
import type { JsonObject } from '../../model/json.js'
import { jsonLength } from '../../model/json-length.js'
import type { Redact } from '../../model/redact.js'
import type { Tool, ToolDefinition } from '../../model/tool.js'
import type { ScoreParts } from '../../plan/find/create-tool-search.js'
import type { CatalogueView, View } from '../catalogue-view.js'
import type { FindTools, FoundHit } from '../find-tools.js'
import { oneLine } from '../one-line.js'
import { callSignature } from './call-signature.js'
import { type MetaTool, reply } from './meta-tool.js'
import { optionalChoice, optionalCount, optionalFlag, optionalTexts, requiredText } from './read-arguments.js'
import { describeNotes, serverNotes } from './server-notes.js'

export const discoverDefinition: ToolDefinition = {
  name: 'discover',
  description:
    'Find tools of all connected servers by what you want to do, or by name. Returns ids with call signatures, best first, and servers that are still loading or down. Call a found tool by its name, or in execute_workflow.',
  inputSchema: {
    type: 'object',
    properties: {
      intent: { type: 'string', description: 'What you want to do, or a tool name' },
      context: {
        type: 'array',
        items: { type: 'string' },
        description: 'Tools used before or planned with it',
      },
      kind: { type: 'string', enum: ['tool', 'capability', 'any'] },
      limit: { type: 'integer', minimum: 1, maximum: 50, default: 8 },
      types: { type: 'boolean', description: 'with TypeScript declarations' },
    },
    required: ['intent'],
  },
  annotations: { title: 'Find tools', readOnlyHint: true, openWorldHint: false },
}

/** About 2,000 tokens, whatever the limit asks for. */
const maxReplyChars = 6_000
const maxTypeChars = 12_000

export interface DiscoverDeps {
  readonly view: CatalogueView
  readonly findTools: FindTools
  readonly redact: Redact
}

export function createDiscover({ view, findTools, redact }: DiscoverDeps): MetaTool {
  return {
    definition: discoverDefinition,
    async call(args, { session }) {
      const intent = requiredText('discover', args, 'intent')
      const kind = optionalChoice('discover', args, 'kind', ['tool', 'capability', 'any']) ?? 'any'
      const limit = optionalCount('discover', args, 'limit', { min: 1, max: 50 }) ?? 8
      const context = optionalTexts('discover', args, 'context') ?? []
      const withTypes = optionalFlag('discover', args, 'types') ?? false
      const { hits, view: current, unknown } = await findTools(intent, { limit, context, session, kind })
      const { shown, omitted } = fitReply(hits.map((hit) => describeHit(hit, current)))
      const types = withTypes ? declareTools(hits.map(({ tool }) => tool)) : undefined
      const notes = serverNotes(view.servers()).map((note) => redactNote(note, redact))
      return reply(
        {
          status: 'complete',
          tools: shown,
          ...(types !== undefined && { types: types.slice(0, maxTypeChars) }),
          ...(omitted > 0 && { omitted }),
          ...(unknown.length > 0 && { unknownContext: unknown }),
          ...(notes.length > 0 && { servers: notes }),
          ...(shown.length === 0 && { hint: nothingFound(kind, current, notes) }),
        },
        [
          describe(shown, { omitted, unknown, notes, nothing: nothingFound(kind, current, notes) }),
          ...(types === undefined ? [] : [types.slice(0, maxTypeChars)]),
        ].join('\n'),
      )
    },
  }
}

/** A tool as an agent needs it to decide and to call. */
export function describeHit(hit: FoundHit, view: View): JsonObject {
  const { tool } = hit
  const name = view.wireNames.byId.get(tool.id)!
  return {
    id: tool.id,
    name,
    description: oneLine(tool.definition.description),
    signature: callSignature(name, tool.definition.inputSchema),
    ...(isCapabilityId(tool.id) && {
      kind: 'capability',
      code: `capabilities.${tool.definition.title}(args)`,
    }),
    score: round(hit.score),
    sure: hit.score >= hit.threshold,
    risk: hit.risk,
    parts: describeParts(hit.parts),
    ...quarantine(tool),
  }
}

/** What made the score; what is 0 is left out. */
function describeParts({ name, words, cosine, semantic, graph, capability }: ScoreParts): JsonObject {
  return {
    ...(name > 0 ? { name: round(name) } : { semantic: round(semantic) }),
    words: round(words),
    ...(cosine !== undefined && { cosine: round(cosine) }),
    ...(graph !== undefined && {
      graph: { ...graph, alpha: round(graph.alpha), evidence: round(graph.evidence) },
    }),
    ...(capability !== undefined && {
      capability: {
        ...capability,
        rate: round(capability.rate),
        transitive: round(capability.transitive),
      },
    }),
  }
}

function quarantine(tool: Tool): JsonObject {
  if (tool.changed === undefined) return {}
  return {
    quarantined: true,
    approve: `Its definition changed, so it cannot be called until a person runs: pml trust ${tool.id}`,
  }
}

function fitReply(tools: readonly JsonObject[]): { shown: readonly JsonObject[]; omitted: number } {
  let left = maxReplyChars
  const shown = tools.filter((tool, i) => {
    left -= jsonLength(tool, maxReplyChars)
    return left > 0 || i === 0
  })
  return { shown, omitted: tools.length - shown.length }
}

interface Rest {
  readonly omitted: number
  readonly unknown: readonly string[]
  readonly notes: readonly JsonObject[]
  readonly nothing: string
}

function describe(tools: readonly JsonObject[], { omitted, unknown, notes, nothing }: Rest): string {
  const lines = tools.map(
    (tool) => `${tool.signature} - ${tool.quarantined ? `QUARANTINED: ${tool.approve}` : tool.description}`,
  )
  if (tools.length === 0) lines.push(nothing)
  if (omitted > 0) lines.push(`${omitted} more did not fit: ask more narrowly.`)
  if (unknown.length > 0) lines.push(`No such tool in context: ${unknown.join(', ')}.`)
  if (notes.length > 0) lines.push(`Not all servers are ready: ${describeNotes(notes)}.`)
  return lines.join('\n')
}

function nothingFound(kind: string, view: View, notes: readonly JsonObject[]): string {
  if (kind === 'capability') return 'No capability matches; leave out kind to find tools.'
  if (view.tools.length === 0) {
    const isLoading = notes.some(({ status }) => status === 'loading')
    return isLoading ? 'No tools yet: ask again in a moment.' : 'No tools: no server is configured and ready.'
  }
  return 'Nothing matches; try other words or the name of a tool or server.'
}

function redactNote(note: JsonObject, redact: Redact): JsonObject {
  return Object.fromEntries(
    Object.entries(note).map(([key, value]) => [key, typeof value === 'string' ? redact(value) : value]),
  )
}

function round(score: number): number {
  return Math.round(score * 1_000) / 1_000
}
