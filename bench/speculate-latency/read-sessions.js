// Sessions of a calls.jsonl set, with results as they were recorded, each call with its key.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { callKey } from '../../dist/execute/speculate/call-key.js'
import { readName } from '../../dist/model/read-name.js'

/** `dist/evaluate/read-calls.js` says what is wrong with a set; here it is taken to be right. */
export function readSessions(directory) {
  return readFileSync(join(directory, 'calls.jsonl'), 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line))
    .map(({ id, group, query, calls }) => ({
      id: String(id),
      group: String(group ?? id),
      query,
      calls: calls.map(({ tool, arguments: args, result }) => ({
        tool,
        arguments: args,
        text: typeof result === 'string' ? result : JSON.stringify(result ?? null),
        key: callKey(tool, args),
        isRead: isRead(tool),
      })),
    }))
}

/** By name alone: the set has no annotations. */
export function isRead(tool) {
  return readName({ server: 'set', name: tool, definition: { name: tool, inputSchema: {} } }).deed === 'reads'
}
