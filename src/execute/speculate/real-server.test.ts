import { mkdtempSync, realpathSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { closeAll, fixture, startedUpstreams, waitFor } from '../../../test/servers/fixtures.js'
import type { ToolId } from '../../model/tool.js'
import type { CallTool, ToolResult } from '../../model/tool-call.js'
import { openTestRoom } from './test-room.contract.js'

afterEach(closeAll)

const server = dirname(
  createRequire(import.meta.url).resolve('@modelcontextprotocol/server-filesystem/package.json'),
)

function textOf({ content }: ToolResult): string {
  return content.map((block) => block.text).join('')
}

test('a file is read ahead of the agent from a real server, and read anew after it was written', async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'pml-')))
  const path = join(folder, 'note.txt')
  writeFileSync(path, 'before')
  const upstreams = await startedUpstreams([
    fixture('fs', { args: [join(server, 'dist', 'index.js'), folder] }),
  ])
  let reached = 0
  const callTool: CallTool = (call) => {
    reached += 1
    return upstreams.callTool(call)
  }
  const { room, ask, ledger } = openTestRoom({ callTool, now: Date.now })
  const read = { tool: 'fs:read_text_file' as ToolId, arguments: { path } }
  const prepareRead = async (): Promise<void> => {
    room.prepare('s', [read], 1)
    await waitFor(() => room.prepared('s').some(({ isReady }) => isReady))
  }

  await prepareRead()
  const begin = performance.now()
  expect(textOf(await ask(read.tool, read.arguments))).toBe('before')
  expect(performance.now() - begin).toBeLessThan(20)
  expect(reached).toBe(1)

  await prepareRead()
  await ask('fs:write_file', { path, content: 'after' })
  expect(room.prepared('s')).toEqual([])
  expect(textOf(await ask(read.tool, read.arguments))).toBe('after')
  expect(reached).toBe(4)
  expect(ledger()).toEqual(['fs:read_text_file started hit', 'fs:read_text_file started wasted'])
  await room.close()
})

test('a server that does not answer is told after five seconds that nobody waits, and is left in peace', async () => {
  const upstreams = await startedUpstreams([fixture('silent-call')])
  const { room, ask, ledger } = openTestRoom({ callTool: upstreams.callTool, now: Date.now })
  const tool = 'silent-call:wait' as ToolId
  const begin = performance.now()
  for (const n of [1, 2, 3, 4]) room.prepare('s', [{ tool, arguments: { n } }], 1)
  await waitFor(() => ledger().filter((line) => line.endsWith('wasted')).length === 3)
  expect(performance.now() - begin).toBeGreaterThan(4_500)
  expect(room.prepared('s')).toEqual([])
  room.prepare('s', [{ tool, arguments: { n: 5 } }], 1)
  expect(ledger().slice(3)).toEqual([`${tool} refused too many at once`, `${tool} refused server not well`])
  expect(JSON.parse(textOf(await ask('silent-call:cancelled')))).toHaveLength(3)
  await room.close()
})
