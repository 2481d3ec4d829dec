/**
 * Sessions with arguments and results, `calls.jsonl`: {id, query?, group?, calls: [{turn?, tool, arguments, result}]}. A result is what the tool
 * answered: a text, or JSON. Which tools only read is told by the annotations of tools.jsonl; where a tool has none, by its name.
 */
import { taskResult } from '../execute/task-result.js'
import { isNeverAhead } from '../model/is-never-ahead.js'
import { isObject, type Json, type JsonObject } from '../model/json.js'
import { readName } from '../model/read-name.js'
import { parseToolId, type Tool, type ToolId } from '../model/tool.js'
import { isMissing, readSessionRow, type SessionRow } from './read-session-row.js'
import { badRow, isId, readLines } from './read-set.js'
import { readToolNames, type ToolNames } from './read-tool-names.js'

export interface CallSession extends SessionRow {
  readonly calls: readonly SetCall[]
}

export interface SetCall {
  readonly tool: ToolId
  readonly arguments: JsonObject
  /** As the gateway would keep it; absent where the set has none. */
  readonly result?: Json
  /** Calls of one turn were decided on together. */
  readonly turn: number
}

export interface CallSet extends Pick<ToolNames, 'idOf'> {
  readonly sessions: readonly CallSession[]
  isRead(tool: ToolId): boolean
}

export async function readCalls(directory: string): Promise<CallSet> {
  const lines = await readLines(directory, 'calls')
  const names = await readToolNames(directory)
  const sessions = lines.map((line): CallSession => {
    const session = readSessionRow(line, directory, 'calls')
    const { calls } = line.row
    if (!Array.isArray(calls)) throw badRow(directory, 'calls', line.line, '"calls", a list')
    const read = calls.map((call: Json, at) => {
      const found = readCall(call, at, names)
      if (typeof found === 'string')
        throw badRow(directory, 'calls', line.line, `in "calls", place ${at}, ${found}`)
      return found
    })
    return { ...session, calls: read }
  })
  const known = new Map<ToolId, boolean>()
  const isRead = (tool: ToolId): boolean => {
    const found = known.get(tool) ?? onlyReads(tool, names)
    known.set(tool, found)
    return found
  }
  return { sessions, idOf: names.idOf, isRead }
}

/** Or what was expected. */
function readCall(call: Json, at: number, { toolOf }: ToolNames): SetCall | string {
  if (!isObject(call)) return 'an object'
  const { tool, arguments: args, result, turn } = call
  if (!isId(tool)) return '"tool", a text'
  if (!isObject(args)) return '"arguments", an object'
  if (!isMissing(turn) && !Number.isInteger(turn)) return '"turn", a whole number'
  const id = toolOf(String(tool))
  return {
    tool: id,
    arguments: args,
    ...(!isMissing(result) && { result: toResult(id, result) }),
    // A set that does not say has each call decided on by itself.
    turn: isMissing(turn) ? at : (turn as number),
  }
}

function toResult(tool: ToolId, result: Json): Json {
  if (typeof result !== 'string') return result
  try {
    return taskResult(tool, { content: [{ type: 'text', text: result }] })
  } catch {
    // Nested too deep to be looked into.
    return result
  }
}

function onlyReads(id: ToolId, { find, idOf }: ToolNames): boolean {
  const { server, tool: name } = parseToolId(id) ?? { server: 'set', tool: idOf(id) }
  const tool: Pick<Tool, 'server' | 'name' | 'definition'> = find(id) ?? {
    server,
    name,
    definition: { name, inputSchema: {} },
  }
  return tool.definition.annotations === undefined
    ? readName(tool).deed === 'reads'
    : tool.definition.annotations.readOnlyHint === true && !isNeverAhead(tool)
}
