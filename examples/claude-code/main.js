// What Claude Code does with PML, step by step: no Claude Code is needed to run this.
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { stringify } from 'yaml'
import { npmServer, program, tell } from '../lib.js'

const secret = 'rooms-0123456789abcdef'
const rooms = fileURLToPath(new URL('../custom-server/server.js', import.meta.url))
const servers = {
  files: { command: 'node', args: [npmServer('filesystem'), '.'] },
  rooms: { type: 'stdio', command: 'node', args: [rooms], env: { ROOMS_TOKEN: secret } },
}

await tell(async ({ folder, env, pml, atEnd }) => {
  const project = join(folder, 'shop')
  const mcpJson = join(project, '.mcp.json')
  mkdirSync(project)
  writeFileSync(join(project, 'orders.txt'), '3 teapots')
  // What a person types in a terminal beside Claude Code; the page of the gateway has a button for it.
  const approve = async (decision) => {
    const approved = await pml(['approve', decision], { cwd: project })
    assert.equal(approved.code, 0, approved.stderr)
  }
  const readEntry = () => JSON.parse(readFileSync(mcpJson, 'utf8')).mcpServers.pml

  console.log('1. claude mcp add')
  // claude mcp add --scope project pml --env PML_HOME=... -- node .../bin/pml.js serve
  const written = {
    type: 'stdio',
    command: 'node',
    args: [program, 'serve'],
    env: { PML_HOME: env.PML_HOME },
  }
  writeFileSync(mcpJson, JSON.stringify({ mcpServers: { pml: written } }, undefined, 2))
  // The first list waits for servers that were never seen, however busy this machine is.
  writeFileSync(join(project, 'pml.config.yaml'), stringify({ firstListWaitMs: 60_000, servers }))
  const first = await startAsClaudeCode(readEntry(), { project, env })
  atEnd(() => first.close())
  await useTools(first, approve)
  await first.close()

  console.log('2. pml init, where .mcp.json has servers already')
  const before = `${JSON.stringify({ mcpServers: servers }, undefined, 4)}\n`
  rmSync(join(project, 'pml.config.yaml'))
  writeFileSync(mcpJson, before)
  const init = await pml(['init', '--yes', '--client', 'claude-code'], { cwd: project })
  assert.equal(init.code, 0, init.stderr)
  assert.deepEqual(Object.keys(JSON.parse(readFileSync(mcpJson, 'utf8')).mcpServers), ['pml'])
  const taken = readEntry()
  assert.equal(taken.env.ROOMS_TOKEN, secret, 'the secret stays in the file of the client')
  const config = readFileSync(join(env.PML_HOME, 'pml.config.yaml'), 'utf8')
  assert.match(config, /ROOMS_TOKEN: \$\{ROOMS_TOKEN\}/)
  console.log('   .mcp.json has pml alone; its servers are in pml.config.yaml, without the secret')
  const second = await startAsClaudeCode(taken, { project, env })
  atEnd(() => second.close())
  await useTools(second, approve)
  await second.close()

  console.log('3. pml init --undo')
  const undo = await pml(['init', '--undo'], { cwd: project })
  assert.equal(undo.code, 0, undo.stderr)
  assert.equal(readFileSync(mcpJson, 'utf8'), before)
  console.log('   .mcp.json is as it was, byte for byte')
})

/** Starts the entry as Claude Code does, in the folder of the project, and shakes hands as it does. */
async function startAsClaudeCode({ command, args, env }, { project, env: own }) {
  const client = new Client({ name: 'claude-code', version: '2.1.0' }, { capabilities: { roots: {} } })
  client.setRequestHandler('roots/list', () => ({ roots: [{ uri: pathToFileURL(project).href }] }))
  await client.connect(new StdioClientTransport({ command, args, env: { ...own, ...env }, cwd: project }))
  const revision = client.getNegotiatedProtocolVersion()
  assert.match(revision, /^2025-/)
  console.log(`   connected, revision ${revision}`)
  return client
}

/** What a session asks first, and what its model then does. */
async function useTools(client, approve) {
  const tasks = [
    { id: 'read', tool: 'files:read_text_file', arguments: { path: 'orders.txt' } },
    {
      id: 'copy',
      tool: 'files:write_file',
      arguments: { path: 'copy.txt', content: { $from: 'read.content' } },
    },
  ]
  const { structuredContent: asked } = await client.callTool({
    name: 'execute_workflow',
    arguments: { tasks },
  })
  assert.equal(asked.status, 'approval_required', JSON.stringify(asked))
  await approve(asked.decision.id)
  const again = { workflow_id: asked.workflow_id, action: 'status' }
  const { structuredContent: run } = await client.callTool({ name: 'control_workflow', arguments: again })
  assert.equal(run.status, 'complete', JSON.stringify(run))
  console.log('   execute_workflow: waited for pml approve, then complete')
  assert.equal(run.tasks[0].result.content, '3 teapots')

  const { tools } = await client.listTools()
  assert.ok(tools.some(({ name }) => name === 'files__read_text_file'))
  const { prompts } = await client.listPrompts()
  assert.deepEqual(
    prompts.map(({ name }) => name),
    ['rooms__plan_meeting'],
  )
  const { resources } = await client.listResources()
  assert.deepEqual(
    resources.map(({ uri }) => uri),
    ['room://attic', 'room://cellar'],
  )
  console.log(`   ${tools.length} tools, ${prompts.length} prompt, ${resources.length} resources`)

  const { structuredContent: found } = await client.callTool({
    name: 'discover',
    arguments: { intent: 'book a meeting room' },
  })
  assert.equal(found.tools[0]?.id, 'rooms:book_room')
  console.log(`   discover: ${found.tools[0].signature}`)
}
