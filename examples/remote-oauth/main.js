// A server over HTTP that wants to know who you are: signing in with `pml auth`, and calling it through the gateway.
import assert from 'node:assert/strict'
import { EventEmitter, on } from 'node:events'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { program, tell, textOf } from '../lib.js'

await tell(async ({ env, pml, start, atEnd }) => {
  // Stands for the server of a vendor: it protects /mcp, and its authorization server approves whoever comes.
  const vendor = start(fileURLToPath(new URL('../../test/servers/auth-server.js', import.meta.url)), [])
  const url = await vendor.printed(/http:\S+(?=\n)/)

  const added = await pml(['add', 'tickets', '--url', url])
  assert.equal(added.code, 0, added.stderr)
  console.log(`pml add tickets --url ${url}`)

  // A gateway that is running needs no restart: its client is told when the tools are there.
  const heard = new EventEmitter()
  const client = new Client(
    { name: 'example', version: '1.0.0' },
    {
      versionNegotiation: { mode: 'auto' },
      listChanged: { tools: { onChanged: (error, tools) => error ?? heard.emit('tools', tools) } },
    },
  )
  const args = [program, 'serve']
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env, stderr: 'ignore' }))
  atEnd(() => client.close())
  const before = await pml(['auth'])
  assert.match(before.stdout, /tickets +needed: pml auth tickets/)
  console.log(`pml auth\n${indent(before.stdout)}`)

  // A person follows the address in a browser. Here it is followed for them, to the page that says that all is well.
  const lists = on(heard, 'tools', { signal: AbortSignal.timeout(60_000) })
  const auth = start(program, ['auth', 'tickets', '--no-browser'])
  const page = await fetch(await auth.printed(/http:\S+\/authorize\S+(?=\s)/))
  assert.match(await page.text(), /You can close this window/)
  assert.equal(await auth.ended, 0)
  const after = await pml(['auth'])
  assert.match(after.stdout, /tickets +signed in/)
  console.log(`pml auth tickets --no-browser\npml auth\n${indent(after.stdout)}`)

  for await (const [tools] of lists) if (tools.some(({ name }) => name === 'tickets__echo')) break
  const answer = await client.callTool({ name: 'tickets__echo', arguments: { text: 'it is me' } })
  assert.equal(textOf(answer), 'it is me')
  console.log(`tickets__echo: ${textOf(answer)}`)

  const folder = join(env.PML_HOME, 'auth')
  const modes = readdirSync(folder).map((name) => (statSync(join(folder, name)).mode & 0o777).toString(8))
  if (process.platform !== 'win32') assert.deepEqual(modes, ['600'], 'the tokens are for you alone to read')
})

function indent(text) {
  return text.trimEnd().replace(/^/gm, '  ')
}
