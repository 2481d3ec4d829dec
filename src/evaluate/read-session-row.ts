import type { Json, JsonObject } from '../model/json.js'
import { badRow, isId, type Line, textOf } from './read-set.js'

/** What every row about a session says, in seqs.jsonl and calls.jsonl. */
export interface SessionRow {
  readonly id: string
  /** Its task: sessions of one are never on both sides of a split. The id where the set does not say. */
  readonly group: string
  readonly query: string | undefined
}

export function readSessionRow({ row, line }: Line, directory: string, file: string): SessionRow {
  const id = textOf(row, 'id', directory, file, line)
  const { group, query }: JsonObject = row
  if (!isMissing(group) && !isId(group)) throw badRow(directory, file, line, '"group", a text')
  if (!isMissing(query) && typeof query !== 'string') throw badRow(directory, file, line, '"query", a text')
  return {
    id,
    group: isMissing(group) ? id : String(group),
    query: typeof query === 'string' && query !== '' ? query : undefined,
  }
}

export function isMissing(value: Json | undefined): value is undefined | null {
  return value === undefined || value === null
}
