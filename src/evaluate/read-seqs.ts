/**
 * The sessions of a set, `seqs.jsonl`: {id, query?, steps: [tool], group?}. `turns` and `ok` are left aside: no gateway sees where a
 * person's turn ends, nor whether the task went well.
 */
import { access } from 'node:fs/promises'
import { join } from 'node:path'
import type { Json } from '../model/json.js'
import { formatToolId, parseToolId, type ToolId } from '../model/tool.js'
import { badRow, isId, readLines, readToolSet, textOf } from './read-set.js'

export interface Sequence {
  readonly id: string
  /** Its task: sessions of one are never on both sides of a split. The id where the set does not say. */
  readonly group: string
  readonly query: string | undefined
  /** The set's ids. */
  readonly steps: readonly string[]
}

export interface SequenceSet {
  readonly sequences: readonly Sequence[]
  /** Our id of a tool of the set, whether or not it has a tools.jsonl. */
  toolOf(id: string): ToolId
  idOf(tool: ToolId): string
}

export async function readSeqs(directory: string): Promise<SequenceSet> {
  const rows = await readLines(directory, 'seqs')
  const sequences = rows.map(({ row, line }): Sequence => {
    const id = textOf(row, 'id', directory, 'seqs', line)
    const { steps } = row
    if (!Array.isArray(steps) || !steps.every(isId))
      throw badRow(directory, 'seqs', line, '"steps", a list of tool ids')
    if (!isMissing(row.group) && !isId(row.group)) throw badRow(directory, 'seqs', line, '"group", a text')
    if (!isMissing(row.query) && typeof row.query !== 'string')
      throw badRow(directory, 'seqs', line, '"query", a text')
    return {
      id,
      group: isMissing(row.group) ? id : String(row.group),
      query: typeof row.query === 'string' && row.query !== '' ? row.query : undefined,
      steps: steps.map(String),
    }
  })
  return { sequences, ...(await readTools(directory)) }
}

/** Without a tools.jsonl a tool's server is what its id says before `:` or `__`; where it says none, all are of one. */
async function readTools(directory: string): Promise<Pick<SequenceSet, 'toolOf' | 'idOf'>> {
  const set = (await isThere(join(directory, 'tools.jsonl'))) ? await readToolSet(directory) : undefined
  const ids = new Map<ToolId, string>()
  const own = new Map<string, ToolId>()
  const toolOf = (id: string): ToolId => {
    const known = own.get(id)
    if (known !== undefined) return known
    const named = set?.toolOf(id) ?? idFromName(id)
    const tool = ids.has(named) ? formatToolId('set', `${id}#${ids.size}`) : named
    ids.set(tool, id)
    own.set(id, tool)
    return tool
  }
  return { toolOf, idOf: (tool) => ids.get(tool)! }
}

/** One that is there and cannot be read is told by who reads it. */
async function isThere(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== 'ENOENT',
  )
}

function idFromName(id: string): ToolId {
  const written = parseToolId(id)
  if (written !== undefined) return formatToolId(written.server, written.tool)
  const cut = id.indexOf('__')
  return cut > 0 && cut + 2 < id.length
    ? formatToolId(id.slice(0, cut), id.slice(cut + 2))
    : formatToolId('set', id)
}

function isMissing(value: Json | undefined): value is undefined | null {
  return value === undefined || value === null
}
