// A server of your own (server.js) behind PML: all that it says reaches the client.
import assert from 'node:assert/strict'
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { program, tell } from '../lib.js'

await tell(async ({ env, pml, atEnd }) => {
  const server = fileURLToPath(new URL('server.js', import.meta.url))
  const added = await pml(['add', 'rooms', '--', process.execPath, server])
  assert.equal(added.code, 0, added.stderr)
  console.log('pml add rooms -- node server.js')
  // Booking sounds final, so PML would ask a person first; this server asks by itself.
  appendFileSync(join(env.PML_HOME, 'pml.config.yaml'), 'approvals: { tools: { rooms:book_room: allow } }\n')

  const client = new Client(
    { name: 'example', version: '1.0.0' },
    { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: 'auto' } },
  )
  const answers = [true, false]
  client.setRequestHandler('elicitation/create', ({ params }) => {
    const sure = answers.shift()
    console.log(`  asked: ${params.message}  answered: ${sure ? 'yes' : 'no'}`)
    return { action: 'accept', content: { sure } }
  })
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [program, 'serve'], env }))
  atEnd(() => client.close())

  const book = (options) =>
    client.callTool({ name: 'rooms__book_room', arguments: { room: 'attic', hour: 9 } }, options)
  const steps = []
  const done = await book({
    onprogress({ progress, total, message }) {
      // The SDK's client tells of the question, too; only the server knows how much there is to do.
      if (total === undefined) return
      console.log(`  ${progress} of ${total}: ${message}`)
      steps.push(progress)
    },
  })
  assert.deepEqual(done.structuredContent, { room: 'attic', hour: 9 })
  assert.ok(steps.length > 0, 'progress reaches the client')

  const refused = await book()
  assert.equal(refused.isError, true, 'who says no gets no room')

  const { tools } = await client.listTools()
  const tool = tools.find(({ name }) => name === 'rooms__book_room')
  assert.deepEqual(tool?.outputSchema?.required, ['room', 'hour'], 'the output schema is that of the server')

  const { resourceTemplates } = await client.listResourceTemplates()
  assert.ok(resourceTemplates.some(({ uriTemplate }) => uriTemplate === 'room://{name}'))
  const attic = await client.readResource({ uri: 'room://attic' })
  assert.equal(attic.contents[0]?.text, '[9]')
  console.log(`room://attic is taken at ${attic.contents[0]?.text}`)

  const prompt = await client.getPrompt({ name: 'rooms__plan_meeting', arguments: { topic: 'tea' } })
  assert.equal(prompt.messages[0]?.content.text, 'Find a room to talk about tea, and book it.')
  console.log(`rooms__plan_meeting: ${prompt.messages[0]?.content.text}`)
})
