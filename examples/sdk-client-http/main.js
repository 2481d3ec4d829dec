// One gateway over HTTP for several clients of your own: they share its servers, and each hears what changes.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { EventEmitter, on, once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client'
import { npmServer, program, tell, textOf } from '../lib.js'

await tell(async ({ folder, env, write, pml, start, atEnd }) => {
  const rooms = fileURLToPath(new URL('../custom-server/server.js', import.meta.url))
  const servers = { rooms: { command: process.execPath, args: [rooms] } }
  // The first list waits for servers that were never seen, however busy this machine is.
  // Booking sounds final, so PML would ask a person first; this server asks by itself.
  const approvals = { tools: { 'rooms:book_room': 'allow' } }
  const settings = { http: { token: '${PML_TOKEN}' }, firstListWaitMs: 60_000, approvals }
  const config = write('servers.json', JSON.stringify({ ...settings, servers }))
  const token = randomBytes(16).toString('hex')
  const up = start(program, ['up', '--port', '0', '--config', config], {
    env: { ...env, PML_TOKEN: token },
  })
  const address = await up.printed(/http:\S+/)
  console.log(`pml up: ${address}`)

  const connect = async (name, given, options = {}) => {
    const client = new Client(
      { name, version: '1.0.0' },
      { versionNegotiation: { mode: 'auto' }, ...options },
    )
    const authProvider = { token: async () => given }
    await client.connect(new StreamableHTTPClientTransport(new URL('mcp', address), { authProvider }))
    atEnd(() => client.close())
    return client
  }

  await assert.rejects(connect('stranger', 'guessed'), UnauthorizedError)
  console.log('a stranger without the token is refused')

  const heard = new EventEmitter()
  const ada = await connect('ada', token, { capabilities: { elicitation: { form: {} } } })
  ada.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { sure: true } }))
  const bob = await connect('bob', token, {
    listChanged: { tools: { onChanged: (error, tools) => error ?? heard.emit('tools', tools) } },
  })

  // Bob watches a room that Ada books: behind the gateway there is one server for both.
  const { resources } = await bob.listResources()
  assert.ok(resources.some(({ uri }) => uri === 'room://attic'))
  bob.setNotificationHandler('notifications/resources/updated', ({ params }) =>
    heard.emit('updated', params.uri),
  )
  await bob.listen({ resourceSubscriptions: ['room://attic'] })
  const updated = once(heard, 'updated', soon())
  await ada.callTool({ name: 'rooms__book_room', arguments: { room: 'attic', hour: 9 } })
  assert.deepEqual(await updated, ['room://attic'])
  const attic = await bob.readResource({ uri: 'room://attic' })
  assert.equal(attic.contents[0]?.text, '[9]')
  console.log(`ada books, bob hears of it: room://attic is taken at ${attic.contents[0]?.text}`)

  // A server that is added while the gateway runs is there for everybody who is connected.
  write('agenda.txt', 'Tea, and who brings it.')
  const lists = on(heard, 'tools', soon())
  const files = [process.execPath, npmServer('filesystem'), folder]
  const added = await pml(['add', 'files', '--config', config, '--', ...files])
  assert.equal(added.code, 0, added.stderr)
  for await (const [tools] of lists) {
    if (tools.some(({ name }) => name === 'files__read_text_file')) break
  }
  console.log('pml add files: the list of bob has its tools')
  const read = await ada.callTool({ name: 'files__read_text_file', arguments: { path: 'agenda.txt' } })
  assert.equal(textOf(read), 'Tea, and who brings it.')

  const status = JSON.parse((await pml(['status', '--json', '--config', config])).stdout)
  const counts = status.servers.map(({ name, pids }) => `${name} ${pids.length}`)
  assert.deepEqual(counts, ['files 1', 'rooms 1'], 'two clients, and one process for each server')
  console.log(`processes behind the gateway: ${counts.join(', ')}`)
})

/** Whoever waits for news gives up in the end. */
function soon() {
  return { signal: AbortSignal.timeout(60_000) }
}
