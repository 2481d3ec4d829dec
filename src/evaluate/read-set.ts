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
  const rows = await readLines(directory, 'tools')
  const ids = new Map<ToolId, string>()
  const own = new Map<string, ToolId>()
  const tools = rows.flatMap(({ row, line }) => {
    const id = textOf(row, 'id', directory, 'tools', line)
    // The first one of an id counts.
    if (own.has(id)) return []
    const tool = toTool(row, id, ids)
    ids.set(tool.id, id)
    own.set(id, tool.id)
    return [tool]
  })
  return { tools, idOf: (tool) => ids.get(tool)!, toolOf: (id) => own.get(id) }
}

export async function readQueries(directory: string): Promise<readonly QueryRow[]> {
  const rows = await readLines(directory, 'queries')
  return rows.map(({ row, line }) => {
    const gold = row.gold
    if (!Array.isArray(gold) || !gold.every(isId))
      throw badRow(directory, 'queries', line, '"gold", a list of tool ids')
    return {
      id: textOf(row, 'id', directory, 'queries', line),
      query: textOf(row, 'query', directory, 'queries', line),
      gold: [...new Set(gold.map(String))],
    }
  })
}

/** The rows of any file of a set. */
export async function readRows(directory: string, name: string): Promise<readonly JsonObject[]> {
  return (await readLines(directory, name)).map(({ row }) => row)
}

export interface Line {
  readonly row: JsonObject
  /** From 1, as editors count. */
  readonly line: number
}

/** The rows of a file with their places, for errors that name them. */
export async function readLines(directory: string, name: string): Promise<readonly Line[]> {
  const file = join(directory, `${name}.jsonl`)
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(
      `${file} cannot be read: ${error.code ?? error.message}.`,
      'Give the folder of a set with --set; it holds tools.jsonl, queries.jsonl and the like.',
    )
  })
  return text
    .replace(/^\ufeff/, '')
    .split('\n')
    .flatMap((written, at) => {
      if (written.trim() === '') return []
      const row = parse(written)
      if (!isObject(row)) throw badRow(directory, name, at + 1, 'one JSON object')
      return [{ row, line: at + 1 }]
    })
}

function toTool(row: JsonObject, id: string, taken: ReadonlyMap<ToolId, string>): Tool {
  const server = String(row.server ?? 'set').replaceAll(':', '/')
  const name = String(row.name ?? id)
  const plain = formatToolId(server, name)
  return {
    // A set may name two tools of a server alike; here each has a name of its own.
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

export function textOf(row: JsonObject, key: string, directory: string, name: string, line: number): string {
  const value = row[key]
  if (isId(value)) return String(value)
  throw badRow(directory, name, line, `"${key}", a text`)
}

export function isId(value: Json | undefined): value is string | number {
  return typeof value === 'number' || (typeof value === 'string' && value !== '')
}

export function badRow(directory: string, name: string, line: number, expected: string): UsageError {
  return new UsageError(`${join(directory, `${name}.jsonl`)}:${line}: expected ${expected}.`)
}

function parse(line: string): Json | undefined {
  try {
    return JSON.parse(line) as Json
  } catch {
    return undefined
  }
}
