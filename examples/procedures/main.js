// A program once, and its intent from then on: what worked is kept as a procedure, with its literals as parameters.
import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { npmServer, program, tell } from '../lib.js'

/** As an agent would write it: list, read all of them at once, add up. */
const code = (folder) => `
  const { content } = await tools.files.list_directory({ path: ${JSON.stringify(folder)} })
  const names: string[] = content.split('\\n').map((line) => line.replace('[FILE] ', ''))
  const orders = await Promise.all(
    names.map((name) => tools.files.read_text_file({ path: \`${folder}/\${name}\` })),
  )
  console.log('orders', orders.length)
  orders.reduce((sum, { content }) => sum + JSON.parse(content).total, 0)`

await tell(async ({ folder, env, write, atEnd, pml }) => {
  for (const [month, totals] of Object.entries({ may: [3, 4, 5], june: [10, 20] })) {
    mkdirSync(join(folder, month))
    for (const [at, total] of totals.entries()) write(join(month, `${at}.json`), JSON.stringify({ total }))
  }
  const files = { command: process.execPath, args: [npmServer('filesystem'), folder] }
  const config = write('servers.json', JSON.stringify({ exposure: 'meta', mcpServers: { files } }))
  const client = new Client({ name: 'example', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } })
  const args = [program, 'serve', '--config', config]
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env }))
  atEnd(() => client.close())
  const call = async (name, given) => (await client.callTool({ name, arguments: given })).structuredContent

  const [may, june] = ['may', 'june'].map((month) => join(folder, month))
  const first = await call('execute_code', { code: code(may), intent: `sum up the orders in ${may}` })
  assert.deepEqual([first.status, first.value, first.logs], ['complete', 12, ['orders 3']])
  console.log(`execute_code: ${first.value}, with ${first.calls.length} calls in one request`)

  // It is kept in the moment after the answer.
  let tools = []
  for (let tries = 0; tools.length === 0 && tries < 50; tries++) {
    await sleep(100)
    tools = (await call('discover', { intent: 'sum up orders', kind: 'capability' })).tools
  }
  assert.equal(tools.length, 1)
  console.log(`kept as: ${tools[0].code}`)

  // Another folder, and no code: the procedure takes its argument from the request.
  const second = await call('execute_workflow', { intent: `sum up the orders in ${june}` })
  assert.deepEqual([second.status, second.tasks[0].result], ['complete', 30])
  assert.equal(second.tasks[0].tool, tools[0].id)
  console.log(`execute_workflow: ${second.tasks[0].result}`)

  const { stdout } = await pml(['capabilities', '--json'])
  const [capability] = JSON.parse(stdout).capabilities
  assert.equal(capability.uses, 2)
  console.log(`pml capabilities: ${capability.name}, used ${capability.uses} times`)
})
