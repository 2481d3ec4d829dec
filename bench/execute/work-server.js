// A server whose tools take as long as they are told; with `--many N`, N more that are only listed.
import { setTimeout as wait } from 'node:timers/promises'
import { Server } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'

const schema = (properties, required = []) => ({ type: 'object', properties, required })
const work = schema({
  ms: { type: 'integer', description: 'How long it takes' },
  bytes: { type: 'integer', description: 'How long its answer is' },
  after: { description: 'What it builds on; not looked at' },
})
const text = schema({ text: { type: 'string', description: 'The text' } }, ['text'])
const reads = { readOnlyHint: true }

const tools = [
  { name: 'work', description: 'Works for a while.', inputSchema: work },
  { name: 'look', description: 'Looks for a while.', inputSchema: work, annotations: reads },
  {
    name: 'list_open_invoices',
    description: 'Lists the open invoices.',
    inputSchema: schema({}),
    outputSchema: schema({ invoices: { type: 'array', items: { type: 'string' } } }),
    annotations: reads,
  },
  {
    name: 'count_unread_letters',
    description: 'Counts the unread letters.',
    inputSchema: schema({}),
    outputSchema: schema({ letters: { type: 'integer' } }),
    annotations: reads,
  },
]
const many = process.argv[2] === '--many' ? Number(process.argv[3]) : 0
const things = [
  'ticket',
  'branch',
  'order',
  'photo',
  'sensor',
  'contract',
  'route',
  'ledger',
  'recipe',
  'stock',
]
const deeds = ['update', 'archive', 'rename', 'tag', 'export', 'validate', 'assign', 'merge', 'sort', 'price']
for (let n = 0; n < many; n++) {
  const [thing, deed] = [things[n % 10], deeds[Math.floor(n / 10) % 10]]
  const description = `${deed} a ${thing} of department ${n} and give its new state.`
  tools.push({ name: `${deed}_${thing}_${n}`, description, inputSchema: text, outputSchema: text })
}

const fixed = { list_open_invoices: { invoices: ['a', 'b'] }, count_unread_letters: { letters: 3 } }

serveStdio(() => {
  const server = new Server({ name: 'work', version: '1.0.0' }, { capabilities: { tools: {} } })
  server.setRequestHandler('tools/list', () => ({ tools }))
  server.setRequestHandler('tools/call', async ({ params: { name, arguments: args = {} } }) => {
    if (args.ms) await wait(args.ms)
    const value = fixed[name] ?? { text: 'x'.repeat(args.bytes ?? 0) }
    return { content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: value }
  })
  return server
})
