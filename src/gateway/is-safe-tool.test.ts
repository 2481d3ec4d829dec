import { expect, it } from 'vitest'
import type { RiskSource } from '../model/risk-source.js'
import type { ServerConfig } from '../model/server.js'
import type { ToolAnnotations } from '../model/tool.js'
import { isSafeTool } from './is-safe-tool.js'
import { makeTool } from './test-gateway.contract.js'

const server: ServerConfig = {
  name: 'files',
  transport: 'stdio',
  command: 'x',
  args: [],
  env: {},
  disabled: false,
  stateful: false,
  trusted: true,
  timeoutMs: 1,
  connectTimeoutMs: 1,
}

/** No person has said anything. */
const byNobody = { risk: 'moderate', source: 'name' } as const

it.each<[boolean, ToolAnnotations | undefined]>([
  [true, { readOnlyHint: true }],
  [true, { readOnlyHint: true, destructiveHint: false }],
  [false, { readOnlyHint: true, destructiveHint: true }],
  [false, { readOnlyHint: false }],
  [false, { idempotentHint: true }],
  [false, undefined],
])('%s for a tool annotated %j, whatever its name says', (safe, annotations) => {
  const tool = makeTool('files', 'read_only_get', annotations && { annotations })
  expect(isSafeTool(tool, { servers: [server] }, byNobody)).toBe(safe)
})

it('the word of a server that is not trusted, or not of the configuration, makes nothing safe', () => {
  const tool = makeTool('files', 'read', { annotations: { readOnlyHint: true } })
  expect(isSafeTool(tool, { servers: [{ ...server, trusted: false }] }, byNobody)).toBe(false)
  expect(isSafeTool(tool, { servers: [{ ...server, name: 'other' }] }, byNobody)).toBe(false)
})

it('a tool that changed or is gone is not safe', () => {
  const annotations = { readOnlyHint: true }
  const changed = { definition: { name: 'read', inputSchema: {} }, hash: 'other', seenAt: 1 }
  for (const extra of [{ changed }, { listed: false }])
    expect(
      isSafeTool(makeTool('files', 'read', { annotations, ...extra }), { servers: [server] }, byNobody),
    ).toBe(false)
})

it.each<[boolean, RiskSource]>([
  [true, 'override'],
  [true, 'permissions'],
  [true, 'read-only server'],
  [false, 'permission set'],
  [false, 'description'],
  [false, 'name'],
])('%s for a tool that says nothing and is safe by its %s', (safe, source) => {
  const tool = makeTool('other', 'frobnicate')
  expect(isSafeTool(tool, { servers: [server] }, { risk: 'safe', source })).toBe(safe)
})

it('what a person says is not safe is not, whatever its server says', () => {
  const tool = makeTool('files', 'read', { annotations: { readOnlyHint: true } })
  expect(isSafeTool(tool, { servers: [server] }, { risk: 'moderate', source: 'override' })).toBe(false)
})

it.each<ToolAnnotations>([
  { readOnlyHint: false },
  { destructiveHint: true },
])('a tool that says itself that it does more is not safe, whoever says so: %j', (annotations) => {
  const tool = makeTool('files', 'read', { annotations })
  for (const source of ['override', 'permissions', 'read-only server'] as const)
    expect(isSafeTool(tool, { servers: [server] }, { risk: 'safe', source })).toBe(false)
})
