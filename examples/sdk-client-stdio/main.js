// A program of your own, with the official SDK, over standard input and output of a `pml serve` that it starts.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { npmServer, program, tell } from '../lib.js'

await tell(async ({ folder, env, write, atEnd }) => {
  write('agenda.txt', 'Tea, and who brings it.')
  const node = process.execPath
  const rooms = fileURLToPath(new URL('../custom-server/server.js', import.meta.url))
  const mcpServers = {
    files: { command: node, args: [npmServer('filesystem'), folder] },
    rooms: { command: node, args: [rooms] },
  }
  // Booking sounds final, so PML would ask a person first; this server asks by itself.
  const approvals = { tools: { 'rooms:book_room': 'allow' } }
  const config = write('servers.json', JSON.stringify({ exposure: 'meta', approvals, mcpServers }))

  const client = new Client(
    { name: 'example', version: '1.0.0' },
    // Without `auto` the SDK speaks the older revisions alone, which PML speaks as well.
    { versionNegotiation: { mode: 'auto' }, capabilities: { elicitation: { form: {} } } },
  )
  const questions = []
  // A person would see a form; here all boxes are ticked.
  client.setRequestHandler('elicitation/create', ({ params }) => {
    const [question] = params.message.split('\n')
    questions.push(question)
    console.log(`  asked: ${question}`)
    const boxes = Object.keys(params.requestedSchema.properties)
    return { action: 'accept', content: Object.fromEntries(boxes.map((box) => [box, true])) }
  })
  const args = [program, 'serve', '--config', config]
  await client.connect(new StdioClientTransport({ command: node, args, env }))
  atEnd(() => client.close())
  assert.equal(client.getNegotiatedProtocolVersion(), '2026-07-28')

  const { tools } = await client.listTools()
  const names = tools.map(({ name }) => name)
  assert.deepEqual(names, ['discover', 'execute_workflow', 'execute_code', 'control_workflow'])
  console.log(`listed: ${names.join(', ')}`)

  // Not listed, and called by its name all the same. Its question and its progress come back to us.
  const steps = []
  const booked = await client.callTool(
    { name: 'rooms:book_room', arguments: { room: 'attic', hour: 9 } },
    {
      onprogress({ progress, total, message }) {
        // The SDK's client tells of the question, too; only the server knows how much there is to do.
        if (total === undefined) return
        steps.push(progress)
        console.log(`  ${progress} of ${total}: ${message}`)
      },
    },
  )
  assert.deepEqual(questions, ['Book attic at 9:00?'])
  assert.ok(steps.length > 0, 'progress of the tool reaches its caller')
  assert.deepEqual(booked.structuredContent, { room: 'attic', hour: 9 })
  console.log('rooms:book_room: booked')

  // Both tasks in one request: the second starts when its content is there, and when a person has approved that it writes.
  const tasks = [
    { id: 'agenda', tool: 'files:read_text_file', arguments: { path: 'agenda.txt' } },
    {
      id: 'invitation',
      tool: 'files:write_file',
      arguments: { path: 'invitation.txt', content: { $from: 'agenda.content' } },
    },
  ]
  const { structuredContent: run } = await client.callTool({ name: 'execute_workflow', arguments: { tasks } })
  assert.equal(run.status, 'complete', JSON.stringify(run))
  assert.equal(questions.at(-1), 'example wants to call files:write_file.')
  assert.equal(readFileSync(join(folder, 'invitation.txt'), 'utf8'), 'Tea, and who brings it.')
  console.log(`execute_workflow: ${run.tasks.map(({ id, status }) => `${id} ${status}`).join(', ')}`)

  const wanted = { intent: 'read a text file', limit: 3 }
  const { structuredContent: found } = await client.callTool({ name: 'discover', arguments: wanted })
  const ids = found.tools.map(({ id }) => id)
  assert.ok(ids.includes('files:read_text_file'), `files:read_text_file is found, not only ${ids}`)
  console.log(`discover "${wanted.intent}": ${ids.join(', ')}`)
})
