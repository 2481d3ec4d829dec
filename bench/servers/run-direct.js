// The fifteen as a client has them without a gateway: each started by the client itself, all definitions in its context.
import { tokensOfTools } from './count-tokens.js'
import { binOf } from './install-servers.js'
import { openLineClient } from './line-client.js'
import { watchProcesses } from './processes.js'

export async function runDirect({ servers, home, folder }) {
  const watch = watchProcesses(home)
  const clients = []
  const found = []
  for (const server of servers) {
    try {
      const client = await openLineClient(commandOf(server, server.args ?? [], { home, folder }))
      clients.push(client)
      const tools = await client.listTools()
      const ms = performance.now() - client.startedAt
      found.push({ name: server.name, tools, tokens: tokensOfTools(tools), ms })
    } catch (error) {
      found.push({ name: server.name, tools: [], tokens: 0, trouble: error.message })
    }
  }
  const processes = watch.living().length
  const memoryMb = watch.memoryMb()
  await Promise.all(clients.map((client) => client.close()))
  return { servers: found, processes, memoryMb, left: (await watch.gone(5_000)).length }
}

/** What becomes of a server without the other program it waits for. */
export async function runWithoutService({ server, home, folder }) {
  const startedAt = performance.now()
  const seconds = () => Math.round((performance.now() - startedAt) / 1000)
  try {
    const client = await openLineClient(commandOf(server, server.argsAlone, { home, folder }))
    await client.close()
    return `starts in ${seconds()} s`
  } catch (error) {
    return `${error.message} after ${seconds()} s`
  }
}

function commandOf(server, args, { home, folder }) {
  const env = { PATH: process.env.PATH, HOME: home, ...server.env }
  return { args: [binOf(server), ...args], env, cwd: folder }
}
