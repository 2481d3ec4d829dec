/**
 * The server of a session that was recorded: answers as it did then, after a while. `put_back_data` begins a session: the world is as it was
 * before it, which is a write, and the gateway sees one. It gives back what was received since the last time.
 *   node replay-server.js DIRECTORY SCALE
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { Server } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { callKey } from '../../dist/execute/speculate/call-key.js'
import { isRead, readSessions } from './read-sessions.js'
import { drawMs, latency } from './times.js'

const [, , directory, scale] = process.argv
const sessions = new Map(readSessions(directory).map((session) => [session.id, session]))
const names = [
  ...new Set([...sessions.values()].flatMap(({ calls }) => calls.map(({ tool }) => tool))),
].sort()
const anything = { type: 'object', additionalProperties: true }
const tools = [
  ...names.map((name) => ({
    name,
    description: `${name.replaceAll('_', ' ')}.`,
    inputSchema: anything,
    ...(isRead(name) && { annotations: { readOnlyHint: true } }),
  })),
  { name: 'put_back_data', description: 'Puts all data back as it was.', inputSchema: anything },
]
/** What other sessions were told, for calls that the present one never makes. */
const told = new Map()
for (const { calls } of sessions.values())
  for (const { key, text } of calls) if (!told.has(key)) told.set(key, text)

let session
let writes = 0
let received = []

const server = new Server({ name: 'replay', version: '1.0.0' }, { capabilities: { tools: {} } })
server.setRequestHandler('tools/list', () => ({ tools }))
server.setRequestHandler('tools/call', async ({ params: { name, arguments: args = {} } }) => {
  if (name === 'put_back_data') return say(JSON.stringify(putBack(args.session)))
  const key = callKey(name, args)
  received.push({ key, at: Date.now() })
  const text = answerOf(key)
  await sleep(drawMs(latency, 'latency', key) * Number(scale))
  if (!isRead(name)) writes++
  return say(text)
})
serveStdio(() => server)

function putBack(id) {
  const before = received
  session = sessions.get(id)
  writes = 0
  received = []
  return before
}

/** The same call may be made before and after a write: the answer is the last one that so many writes had led to. */
function answerOf(key) {
  let before = 0
  let answer
  for (const call of session?.calls ?? []) {
    if (call.key === key && (answer === undefined || before <= writes)) answer = call.text
    if (!call.isRead) before++
  }
  return answer ?? told.get(key) ?? 'Error: not found'
}

const say = (text) => ({ content: [{ type: 'text', text }] })
