// A gateway with one server behind it, as a user has it, and an agent that does what one did before.
import { execFile } from 'node:child_process'
import { cpSync, rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { makeHome, pmlBin, pmlEnvironment, startHttp } from '../overhead/subjects.js'
import { drawMs, think } from './times.js'

const replayServer = fileURLToPath(new URL('replay-server.js', import.meta.url))
/** Minutes stand for hours here: the budget of an hour would be spent by sessions that no hour has room for. */
const unlimited = { wastePerHour: 100_000, wastePerServerPerHour: 100_000 }
/** What was learned is read in the background after the start; nothing says when that is done. */
const settleMs = 4_000

/** `from`: the home of one that was closed, whose memory this one has a copy of. */
export async function openGateway({ set, mode, preset, scale, from }) {
  const { home, config } = makeHome(
    { replay: { command: process.execPath, args: [replayServer, set, String(scale)] } },
    { speculation: { mode, preset, ...unlimited }, approvals: { tools: { '*': 'allow' } } },
  )
  const env = pmlEnvironment(home)
  if (from !== undefined) cpSync(from, env.PML_HOME, { recursive: true })
  const { url, close } = await startHttp(
    [pmlBin, 'serve', '--http', '--port', '0', '--config', config, '--exposure', 'proxy'],
    env,
  )
  const hand = await openClient(url)
  /** From outside of every session. */
  const putBack = async (session) => JSON.parse(textOf(await hand.call('replay__put_back_data', { session })))
  await putBack()
  await sleep(settleMs)

  return {
    memory: env.PML_HOME,
    /** One call after the other, as it was; for each how long it took, and whether the server was asked while the agent waited. */
    async replay({ id, query, calls }, { seen }) {
      await putBack(id)
      const agent = await openClient(url)
      if (seen && query !== undefined) await agent.call('discover', { intent: query })
      const waits = []
      for (const [at, { tool, arguments: args, key, text }] of calls.entries()) {
        await sleep(drawMs(think, 'think', id, at) * scale)
        const begunAt = Date.now()
        const begin = performance.now()
        const result = await agent.call(`replay__${tool}`, args)
        const ms = performance.now() - begin
        waits.push({ key, begunAt, endedAt: Date.now(), ms, isRight: textOf(result) === text })
      }
      await agent.close()
      const received = await putBack()
      return waits.map(({ key, begunAt, endedAt, ms, isRight }) => ({
        ...{ key, ms, isRight },
        isAhead: !received.some((one) => one.key === key && one.at >= begunAt && one.at <= endedAt),
      }))
    },
    async report() {
      const { stdout } = await promisify(execFile)(
        process.execPath,
        [pmlBin, 'speculation', '--json', '--days', '1', '--config', config],
        { env, maxBuffer: 64 * 1024 * 1024 },
      )
      return JSON.parse(stdout)
    },
    async close() {
      await hand.close()
      await close()
    },
    remove: () => rmSync(home, { recursive: true, force: true }),
  }
}

/** Of a revision with sessions: connections are shared between clients of one process, and would be taken for one client. */
async function openClient(url) {
  const client = new Client({ name: 'bench', version: '1.0.0' })
  const transport = new StreamableHTTPClientTransport(new URL('mcp', url))
  await client.connect(transport)
  return {
    call: (name, args) => client.callTool({ name, arguments: args }),
    async close() {
      await transport.terminateSession()
      await client.close()
    },
  }
}

function textOf({ content }) {
  return content.map(({ text = '' }) => text).join('')
}
