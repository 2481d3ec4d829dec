/**
 * The plans of a set, `dags.jsonl`, by tool: {id, query, nodes: [{nid, tool}], edges: [[nid, nid]] or edges_by_tool:
 * [[tool, tool]] or levels: [[nid]], edge_fields?: [[nid, nid, output, input]], split?}.
 *
 * A plan may call a tool twice, and two of its nodes may have one nid (then the later one is meant, as in a map), so what is
 * compared is sets of tools and of pairs of different tools.
 */
import { isObject, type Json, type JsonObject } from '../model/json.js'
import { inputName, plainPath } from './field-names.js'
import { badRow, isId, readLines, textOf } from './read-set.js'

/** Everything by the set's ids of tools. */
export interface Dag {
  readonly id: string
  readonly query: string
  /** Each once, as they come first in the plan. */
  readonly tools: readonly string[]
  /** Each once; where a row has levels alone, from every tool of a level to every one of the next. */
  readonly edges: readonly Pair[]
  /** Undefined where the set does not say. */
  readonly fields: readonly FieldPair[] | undefined
  /** Undefined where the set does not say; a tool that comes again counts where it came first. */
  readonly stages: readonly (readonly string[])[] | undefined
  readonly split: string | undefined
}

export type Pair = readonly [from: string, to: string]
export type FieldPair = readonly [from: string, to: string, output: string, input: string]

export async function readDags(directory: string): Promise<readonly Dag[]> {
  const rows = await readLines(directory, 'dags')
  return rows.map(({ row, line }) => {
    const expect = (expected: string) => badRow(directory, 'dags', line, expected)
    const nodes = readNodes(row.nodes, expect)
    const stages = row.levels === undefined ? undefined : readStages(row.levels, nodes, expect)
    const fields = row.edge_fields
    return {
      id: textOf(row, 'id', directory, 'dags', line),
      query: textOf(row, 'query', directory, 'dags', line),
      tools: [...new Set(nodes.tools)],
      edges: readEdges(row, nodes, stages, expect),
      fields: fields === undefined || fields === null ? undefined : readFields(fields, nodes, expect),
      stages,
      split: typeof row.split === 'string' ? row.split : undefined,
    }
  })
}

/** One of each, without a tool's link to itself. */
export function distinctLinks<Link extends readonly [string, string, ...string[]]>(
  links: readonly Link[],
): readonly Link[] {
  const seen = new Map(links.filter(([from, to]) => from !== to).map((link) => [JSON.stringify(link), link]))
  return [...seen.values()]
}

type Expect = (expected: string) => Error

interface Nodes {
  readonly tools: readonly string[]
  readonly toolOf: ReadonlyMap<string, string>
}

function readNodes(given: Json | undefined, expect: Expect): Nodes {
  if (!Array.isArray(given)) throw expect('"nodes", a list of {nid, tool}')
  const nodes = given.map((node: Json) => {
    if (!isObject(node) || !isId(node.nid) || !isId(node.tool)) throw expect('"nodes", a list of {nid, tool}')
    return [String(node.nid), String(node.tool)] as const
  })
  return { tools: nodes.map(([, tool]) => tool), toolOf: new Map(nodes) }
}

function readEdges(
  row: JsonObject,
  { tools, toolOf }: Nodes,
  stages: Dag['stages'],
  expect: Expect,
): readonly Pair[] {
  if (row.edges !== undefined) {
    const pairs = readTuples(row.edges, 2, '"edges", a list of [nid, nid]', expect)
    return distinctLinks(
      pairs.map(([from, to]) => [nodeOf(from!, toolOf, expect), nodeOf(to!, toolOf, expect)]),
    )
  }
  if (row.edges_by_tool !== undefined) {
    const pairs = readTuples(row.edges_by_tool, 2, '"edges_by_tool", a list of [tool, tool]', expect)
    const stranger = pairs.flat().find((tool) => !tools.includes(tool))
    if (stranger !== undefined) throw expect(`"${stranger}" of "edges_by_tool" among the tools of "nodes"`)
    return distinctLinks(pairs.map(([from, to]) => [from!, to!]))
  }
  if (stages === undefined) throw expect('"edges", "edges_by_tool" or "levels"')
  return stages
    .slice(1)
    .flatMap((stage, before) => stages[before]!.flatMap((from) => stage.map((to): Pair => [from, to])))
}

function readFields(given: Json, { toolOf }: Nodes, expect: Expect): readonly FieldPair[] {
  const fields = readTuples(given, 4, '"edge_fields", a list of [nid, nid, output, input]', expect)
  return distinctLinks(
    fields.map(([from, to, output, input]) => [
      nodeOf(from!, toolOf, expect),
      nodeOf(to!, toolOf, expect),
      plainPath(output!),
      inputName(input!),
    ]),
  )
}

function readStages(given: Json, { toolOf }: Nodes, expect: Expect): readonly (readonly string[])[] {
  if (!Array.isArray(given)) throw expect('"levels", a list of lists of nids')
  const seen = new Set<string>()
  return given
    .map((level: Json) => {
      if (!Array.isArray(level) || !level.every(isId)) throw expect('"levels", a list of lists of nids')
      const tools = new Set(level.map((nid) => nodeOf(String(nid), toolOf, expect)))
      const fresh = [...tools].filter((tool) => !seen.has(tool))
      for (const tool of fresh) seen.add(tool)
      return fresh
    })
    .filter((stage) => stage.length > 0)
}

/** Texts, of which a field's path may be empty: it is the result itself. */
function readTuples(
  given: Json,
  length: number,
  expected: string,
  expect: Expect,
): readonly (readonly string[])[] {
  if (!Array.isArray(given)) throw expect(expected)
  return given.map((tuple: Json) => {
    if (!Array.isArray(tuple) || tuple.length !== length) throw expect(expected)
    if (!tuple.every((part: Json) => part === '' || isId(part))) throw expect(expected)
    return tuple.map(String)
  })
}

function nodeOf(nid: string, toolOf: ReadonlyMap<string, string>, expect: Expect): string {
  const tool = toolOf.get(nid)
  if (tool === undefined) throw expect(`"${nid}" among the nids of "nodes"`)
  return tool
}
