import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import {
  call,
  callText,
  closeAll,
  failure,
  fixture,
  fixturePath,
  openTestUpstreams,
  startedUpstreams,
  waitFor,
} from '../../test/servers/fixtures.js'
import type { KnownEra } from '../model/server.js'
import { isCallable, type SeenChange, type ToolId } from '../model/tool.js'
import type { Upstreams } from './upstreams.js'

afterEach(closeAll)

const greet = 'changing:greet' as ToolId
const legacy: Readonly<Record<string, KnownEra>> = { changing: { kind: 'legacy' } }

describe.each([
  ['2026-07-28', {}],
  ['2025', legacy],
])('a server that changes its tools (%s)', (_, eras) => {
  test('list_changed is honoured: tools come and go', async () => {
    const upstreams = await startedUpstreams([fixture('changing')], { eras })
    let changes = 0
    const stop = upstreams.onChange(() => {
      changes += 1
    })
    await call(upstreams, 'changing:add_tool')
    await waitFor(() => upstreams.tool('changing:extra' as ToolId)?.listed)
    expect(await callText(upstreams, 'changing:extra')).toBe('extra')
    await call(upstreams, 'changing:remove_tool')
    await waitFor(() => upstreams.tool('changing:extra' as ToolId)?.listed === false)
    expect(await failure(call(upstreams, 'changing:extra'))).toMatchObject({ code: 'TOOL_NOT_FOUND' })
    expect(changes).toBeGreaterThan(1)
    stop()
  })

  test('a changed definition is quarantined until a person accepts it, or the server takes it back', async () => {
    const upstreams = await startedUpstreams([fixture('changing')], { eras })
    await call(upstreams, 'changing:change')
    await waitFor(() => upstreams.tool(greet)?.changed !== undefined)
    expect(upstreams.tool(greet)).toMatchObject({
      definition: { description: 'Greets a person.' },
      flags: ['instruction-like text'],
    })
    expect(await failure(call(upstreams, greet, { name: 'x' }))).toMatchObject({ code: 'TOOL_QUARANTINED' })
    await call(upstreams, 'changing:restore')
    await waitFor(() => upstreams.tool(greet)?.changed === undefined)
    expect(await callText(upstreams, greet, { name: 'x' })).toBe('hello x')
    await call(upstreams, 'changing:change')
    await waitFor(() => upstreams.tool(greet)?.changed !== undefined)
    expect(
      upstreams
        .trust([seen(upstreams, greet), { id: 'changing:add_tool' as ToolId, hash: '' }])
        .map(({ id }) => id),
    ).toEqual([greet])
    expect(await callText(upstreams, greet, { name: 'x' })).toBe('hello x')
  })
})

describe('pins across processes', () => {
  test('a session whose own process lists another definition is refused, whatever the others list', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'pml-')), 'changed')
    const args = [fixturePath('changing'), 'changed-by', file]
    const upstreams = await startedUpstreams([fixture('changing', { args, stateful: true })])
    const as = (session: string) => callText(upstreams, greet, { name: 'x' }, { session })
    expect(await as('before')).toBe('hello x')
    writeFileSync(file, '')
    expect(await failure(as('after'))).toMatchObject({ code: 'TOOL_QUARANTINED' })
    expect(upstreams.tool(greet)?.changed).toBeDefined()
    rmSync(file)
    await call(upstreams, 'changing:restore', {}, { session: 'last' })
    expect(await as('last')).toBe('hello x')
    expect(await failure(as('after'))).toMatchObject({ code: 'TOOL_QUARANTINED' })
  })

  test('a definition that changes in one session is caught in that session', async () => {
    const upstreams = await startedUpstreams([fixture('changing', { stateful: true })])
    await call(upstreams, 'changing:change', {}, { session: 'a' })
    await waitFor(() => upstreams.tool(greet)?.changed !== undefined)
    const as = (session: string) => callText(upstreams, greet, { name: 'x' }, { session })
    expect(await failure(as('a'))).toMatchObject({ code: 'TOOL_QUARANTINED' })
  })

  test('a tool that changed while we were away is caught at the call that wakes its server', async () => {
    const before = await startedUpstreams([fixture('changing')])
    const args = [fixturePath('changing'), 'changed']
    const upstreams = openTestUpstreams([fixture('changing', { args })], { known: before.tools() })
    upstreams.start()
    expect(await failure(call(upstreams, greet, { name: 'x' }))).toMatchObject({ code: 'TOOL_QUARANTINED' })
  })

  test('the store wins over a first sight, but not over what was accepted since', async () => {
    const before = await startedUpstreams([fixture('changing')])
    const stored = before.tools()
    const args = [fixturePath('changing'), 'changed']
    const upstreams = await startedUpstreams([fixture('changing', { args })])
    expect(isCallable(upstreams.tool(greet)!)).toBe(true)
    upstreams.adoptPins(stored)
    expect(isCallable(upstreams.tool(greet)!)).toBe(false)
    upstreams.trust([seen(upstreams, greet)])
    upstreams.adoptPins(stored)
    expect(isCallable(upstreams.tool(greet)!)).toBe(true)
  })
})

describe('the catalogue as a whole', () => {
  test('tools of the same name on two servers are flagged on both', async () => {
    const upstreams = await startedUpstreams([fixture('echo'), fixture('grandchild')])
    expect(upstreams.tool('echo:echo' as ToolId)?.flags).toEqual(['same name as a tool of grandchild'])
    expect(upstreams.tool('grandchild:echo' as ToolId)?.flags).toEqual(['same name as a tool of echo'])
  })

  test('a tool about which nothing changed stays the same object when its server lists again', async () => {
    const upstreams = await startedUpstreams([fixture('changing'), fixture('echo')])
    const before = new Map(upstreams.tools().map((tool) => [tool.id, tool]))
    await call(upstreams, 'changing:add_tool')
    await waitFor(() => upstreams.tool('changing:extra' as ToolId))
    await call(upstreams, 'changing:change')
    await waitFor(() => upstreams.tool(greet)?.changed !== undefined)
    upstreams.setTokens(new Map([[upstreams.tool('echo:add' as ToolId)!.hash, 7]]))
    upstreams.adoptPins([...before.values()])
    const other = upstreams.tools().filter((tool) => before.get(tool.id) !== tool)
    expect(other.map(({ id }) => id)).toEqual(['changing:extra', greet, 'echo:add'])
  })

  test('counted tokens stay with their definition', async () => {
    const upstreams = await startedUpstreams([fixture('echo')])
    const { hash } = upstreams.tool('echo:echo' as ToolId)!
    upstreams.setTokens(new Map([[hash, 42]]))
    expect(upstreams.tool('echo:echo' as ToolId)?.tokens).toBe(42)
    expect(upstreams.tool('echo:add' as ToolId)?.tokens).toBeUndefined()
  })

  test('changes within one tick are told once', async () => {
    const upstreams = await startedUpstreams([fixture('counter')])
    await new Promise((resolve) => setTimeout(resolve, 20))
    let told = 0
    upstreams.onChange(() => {
      told += 1
    })
    upstreams.setTokens(new Map())
    upstreams.adoptPins([])
    upstreams.setTokens(new Map())
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(told).toBe(1)
  })
})

function seen(upstreams: Upstreams, id: ToolId): SeenChange {
  return { id, hash: upstreams.tool(id)!.changed!.hash }
}
