/**
 * What may feed what, guessed from names and schemas before anything was seen: `search_issues` gives issues, and
 * `close_issue {issue_number}` needs one. A guess is an edge `provides` of source `template`; it brings candidates to look at,
 * and moves no score of a tool that no run has shown with another (there alpha is 1).
 *
 *     producer                                 consumer
 *     fields of the output schema ──┐      ┌── required parameters: `issue_number`, `repo`, `id` of the thing in its name
 *     else the thing in its name ───┴ thing┴
 *
 * Few and near: at most `mostGivers` for each consumer, its own server first, rare things before common ones.
 */
import { compareText } from '../model/compare-text.js'
import type { EdgeKey } from '../model/edge.js'
import { isObject } from '../model/json.js'
import type { Tool, ToolId } from '../model/tool.js'
import { splitWords } from '../model/words/split-words.js'
import { stem } from '../model/words/stem.js'

const mostGivers = 4
const mostTakers = 16
/** A thing that more pairs than this deal with (`user`, `file`) is paired within a server only. */
const mostPairs = 2_000
/** Of all things together, in a tenth of a second: the catalogue is not ours, and a server may give each tool the same thing. */
const mostPairsInAll = 200_000
const deepestField = 3
const mostFields = 100

export function guessTemplates(tools: readonly Tool[]): readonly EdgeKey[] {
  const givers = new Map<string, Tool[]>()
  const takers = new Map<string, Tool[]>()
  for (const tool of tools) {
    for (const thing of thingsGiven(tool)) add(givers, thing, tool)
    for (const thing of thingsTaken(tool)) add(takers, thing, tool)
  }
  const scores = new Map<ToolId, Map<ToolId, number>>()
  let pairs = 0
  for (const { giving, taking } of rarestFirst(givers, takers)) {
    const isRare = giving.length * taking.length <= mostPairs
    const byServer = isRare ? undefined : groupByServer(giving)
    for (const taker of taking) {
      const near = byServer === undefined ? giving : (byServer.get(taker.server) ?? [])
      pairs += near.length
      if (pairs > mostPairsInAll) return choose(scores)
      for (const giver of near) {
        if (giver.id === taker.id) continue
        const nearness = giver.server === taker.server ? 2 : 1
        const score = nearness / Math.log(1 + giving.length)
        const known = scores.get(taker.id) ?? new Map<ToolId, number>()
        scores.set(taker.id, known.set(giver.id, (known.get(giver.id) ?? 0) + score))
      }
    }
  }
  return choose(scores)
}

/** What few tools deal with says most; what many do is left out where the bound is reached. */
function rarestFirst(
  givers: ReadonlyMap<string, readonly Tool[]>,
  takers: ReadonlyMap<string, readonly Tool[]>,
): readonly { readonly giving: readonly Tool[]; readonly taking: readonly Tool[] }[] {
  return [...takers]
    .map(([thing, taking]) => ({ thing, taking, giving: givers.get(thing) ?? [] }))
    .sort(
      (a, b) =>
        a.giving.length * a.taking.length - b.giving.length * b.taking.length ||
        compareText(a.thing, b.thing),
    )
}

/** The best of each consumer, in an order that depends on nothing but the tools. */
function choose(scores: ReadonlyMap<ToolId, ReadonlyMap<ToolId, number>>): readonly EdgeKey[] {
  const given = new Map<ToolId, number>()
  const edges: EdgeKey[] = []
  for (const [to, from] of [...scores].sort(([a], [b]) => compareText(a, b))) {
    const best = [...from].sort(([a, x], [b, y]) => y - x || compareText(a, b))
    const free = best.filter(([giver]) => (given.get(giver) ?? 0) < mostTakers)
    for (const [giver] of free.slice(0, mostGivers)) {
      given.set(giver, (given.get(giver) ?? 0) + 1)
      edges.push({ from: giver, to, type: 'provides' })
    }
  }
  return edges
}

/** Verbs that end with the thing in hand. */
const giving = new Set(
  'list get search find create add read fetch query lookup describe open show browse retrieve detect make new upload generate'.split(
    ' ',
  ),
)
/** What a thing is pointed at by. Alone they mean the thing in the tool's own name. */
const pointers = new Set(
  'id ids key keys uri url path paths number no slug handle ref reference guid uuid'.split(' ').map(stem),
)
/** Parts of a thing that another tool asks for beside its pointer. */
const namesOfThings = new Set(['name', 'names', 'title', 'code'].map(stem))
/** Said of any tool, or things that everything has: they connect nothing. */
const empty = new Set(
  `by of the for in to with and from all my current limit page offset cursor query text content contents message body
  description type status format mode options filter sort order data value result results list item items count total
  date time start end version token`
    .split(/\s+/)
    .map(stem),
)

function thingsGiven(tool: Tool): ReadonlySet<string> {
  const { verb, thing } = nameParts(tool)
  const fields = schemaFields(tool.definition.outputSchema, 0)
  const said = fields.flatMap((field) => thingPointedAt(field, thing) ?? [])
  const isGiving = verb !== undefined && giving.has(verb)
  return new Set([...said, ...(isGiving && thing !== '' ? [thing] : [])])
}

function thingsTaken(tool: Tool): ReadonlySet<string> {
  const { inputSchema } = tool.definition
  const required = Array.isArray(inputSchema?.required) ? inputSchema.required : []
  const { verb, thing } = nameParts(tool)
  const isNew = verb === 'create' || verb === 'add' || verb === 'new'
  const names = required.filter((name): name is string => typeof name === 'string').slice(0, mostFields)
  // What is being made has no pointer yet.
  return new Set(names.flatMap((name) => thingPointedAt(name, isNew ? '' : thing) ?? []))
}

/** `issue_number` and `issueId` point at an issue, `repo` is one, `id` is one of the tool's own. */
function thingPointedAt(field: string, own: string): string | undefined {
  const words = splitWords(field).map(stem)
  const last = words.at(-1)
  if (last === undefined) return undefined
  const isPointer = pointers.has(last)
  const isName = namesOfThings.has(last)
  const rest = (isPointer || isName ? words.slice(0, -1) : words).filter((word) => !empty.has(word))
  if (rest.length > 0) return rest.join(' ')
  return isPointer && own !== '' ? own : undefined
}

/** `github:github_list_pull_requests` -> list, "pull request". */
function nameParts(tool: Tool): { readonly verb?: string; readonly thing: string } {
  const server = splitWords(tool.server)
  const words = splitWords(tool.name)
  const own =
    words.length > server.length && server.every((word, i) => word === words[i])
      ? words.slice(server.length)
      : words
  const at = own.findIndex((word) => giving.has(word))
  const verb = own[Math.max(0, at)]
  const rest = own.filter((word) => word !== verb).map(stem)
  const thing = rest.filter((word) => !empty.has(word)).join(' ')
  return { ...(verb !== undefined && { verb }), thing }
}

function schemaFields(schema: unknown, depth: number): readonly string[] {
  if (depth > deepestField || !isObject(schema)) return []
  const own = isObject(schema.properties) ? Object.entries(schema.properties).slice(0, mostFields) : []
  return [
    ...own.flatMap(([name, inner]) => [name, ...schemaFields(inner, depth + 1)]),
    ...schemaFields(schema.items, depth + 1),
  ].slice(0, mostFields)
}

function groupByServer(tools: readonly Tool[]): ReadonlyMap<string, readonly Tool[]> {
  const groups = new Map<string, Tool[]>()
  for (const tool of tools) add(groups, tool.server, tool)
  return groups
}

function add(groups: Map<string, Tool[]>, key: string, tool: Tool): void {
  const group = groups.get(key)
  if (group) group.push(tool)
  else groups.set(key, [tool])
}
