/**
 * Sets for evaluation: a folder of .jsonl files, one row a line. `tools.jsonl` holds {id, name, server, description,
 * inputSchema}, `queries.jsonl` {id, query, gold: [tool ids]}, `dags.jsonl` plans of the same tools.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { UsageError } from '../errors.js'
import { isObject, type Json, type JsonObject } from '../model/json.js'
import { formatToolId, type Tool, type ToolId } from '../model/tool.js'

export interface ToolSet {
  readonly tools: readonly Tool[]
  /** The set's own id of a tool. */
  idOf(tool: ToolId): string
  /** Our id of a tool of the set. */
  toolOf(id: string): ToolId | undefined
}

export interface QueryRow {
  readonly id: string
  readonly query: string
  /** The set's ids, each once. */
  readonly gold: readonly string[]
}

export async function readToolSet(directory: string): Promise<ToolSet> {
  const rows = await readRows(directory, 'tools')
  const ids = new Map<ToolId, string>()
  const own = new Map<string, ToolId>()
  const tools = rows.flatMap((row, line) => {
    const id = textOf(row, 'id', directory, 'tools', line)
    // A set may name two servers' tools alike; here each has a name of its own.
    if (own.has(id)) return []
    const tool = toTool(row, id, ids)
    ids.set(tool.id, id)
    own.set(id, tool.id)
    return [tool]
  })
  return { tools, idOf: (tool) => ids.get(tool)!, toolOf: (id) => own.get(id) }
}

export async function readQueries(directory: string): Promise<readonly QueryRow[]> {
  const rows = await readRows(directory, 'queries')
  return rows.map((row, line) => {
    const gold = row.gold
    if (!Array.isArray(gold)) throw badRow(directory, 'queries', line, '"gold", a list of tool ids')
    return {
      id: textOf(row, 'id', directory, 'queries', line),
      query: textOf(row, 'query', directory, 'queries', line),
      gold: [...new Set(gold.map(String))],
    }
  })
}

export async function readRows(directory: string, name: string): Promise<readonly JsonObject[]> {
  const file = join(directory, `${name}.jsonl`)
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(
      `${file} cannot be read: ${error.code ?? error.message}.`,
      'Give the folder of a set with --set; it holds tools.jsonl, queries.jsonl and the like.',
    )
  })
  return text.split('\n').flatMap((line, at) => {
    if (line.trim() === '') return []
    const row = parse(line)
    if (!isObject(row)) throw badRow(directory, name, at, 'one JSON object')
    return [row as JsonObject]
  })
}

function toTool(row: JsonObject, id: string, taken: ReadonlyMap<ToolId, string>): Tool {
  const server = String(row.server ?? 'set').replaceAll(':', '/')
  const name = String(row.name ?? id)
  const plain = formatToolId(server, name)
  return {
    id: taken.has(plain) ? formatToolId(server, `${name}#${id}`) : plain,
    server,
    name,
    definition: {
      name,
      description: typeof row.description === 'string' ? row.description : '',
      inputSchema: isObject(row.inputSchema) ? (row.inputSchema as JsonObject) : { type: 'object' },
      ...(isObject(row.outputSchema) && { outputSchema: row.outputSchema as JsonObject }),
      ...(isObject(row.annotations) && { annotations: row.annotations }),
    },
    hash: '',
    listed: true,
    flags: [],
  }
}

function textOf(row: JsonObject, key: string, directory: string, name: string, line: number): string {
  const value = row[key]
  if (typeof value === 'string' && value !== '') return value
  if (typeof value === 'number') return String(value)
  throw badRow(directory, name, line, `"${key}", a text`)
}

function badRow(directory: string, name: string, line: number, expected: string): UsageError {
  return new UsageError(`${join(directory, `${name}.jsonl`)}:${line + 1}: expected ${expected}.`)
}

function parse(line: string): Json | undefined {
  try {
    return JSON.parse(line) as Json
  } catch {
    return undefined
  }
}
