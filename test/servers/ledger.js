// A server that keeps a ledger: every call is a line in the file named first on the command line when it begins, and one when it
// ends. The file outlives every process, so it is the judge of what was called how often. Only what `put`, `charge` and `read` do
// may be done again.
import { randomUUID } from 'node:crypto'
import { appendFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { objectSchema, serveRaw } from './raw-server.js'

const file = process.argv[2]
const schema = objectSchema(
  {
    token: { type: 'string' },
    after: { description: 'What it builds on; not looked at.' },
    items: { type: 'array', items: { type: 'string' } },
    bytes: { type: 'integer' },
    ms: { type: 'integer' },
    fail: { type: 'boolean' },
  },
  ['token'],
)
const charged = {
  ...schema,
  properties: { ...schema.properties, idempotency_key: { type: 'string' } },
}
const tools = [
  { name: 'append', description: 'Adds a line.', inputSchema: schema },
  { name: 'slow_append', description: 'Adds a line, and takes its time.', inputSchema: schema },
  { name: 'put', description: 'Sets.', inputSchema: schema, annotations: { idempotentHint: true } },
  { name: 'charge', description: 'Takes money, once for each key.', inputSchema: charged },
  { name: 'read', description: 'Reads.', inputSchema: schema, annotations: { readOnlyHint: true } },
  { name: 'erase', description: 'Erases.', inputSchema: schema, annotations: { destructiveHint: true } },
]

serveRaw({
  name: 'ledger',
  tools: () => tools,
  call: async ({ name, arguments: args }) => {
    const { token, items = [], bytes = 0, fail = false, idempotency_key: key } = args
    const call = randomUUID()
    const write = (phase) => {
      // One clock for all processes of the machine, which nobody sets.
      const at = Number(process.hrtime.bigint() / 1_000n)
      appendFileSync(
        file,
        `${JSON.stringify({ at, phase, tool: name, token, call, key, pid: process.pid })}\n`,
      )
    }
    write('begin')
    await wait(args.ms ?? (name === 'slow_append' ? 200 : 0))
    write('end')
    const value = { token, call, items, text: 'x'.repeat(bytes) }
    return {
      content: [{ type: 'text', text: JSON.stringify(value) }],
      ...(fail ? { isError: true } : { structuredContent: value }),
    }
  },
})
