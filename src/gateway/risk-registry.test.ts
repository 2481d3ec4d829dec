import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createPreferences, type Preferences } from '../learn/preferences/create-preferences.js'
import type { PmlConfig } from '../model/config.js'
import { silentLog } from '../model/log.js'
import { newId } from '../model/new-id.js'
import { noPermissions } from '../model/permissions.js'
import type { Redact } from '../model/redact.js'
import type { ServerConfig } from '../model/server.js'
import type { Tool, ToolId } from '../model/tool.js'
import { openStore } from '../store/open-store.js'
import type { RiskSnapshot } from '../store/risk-snapshot.js'
import type { Store } from '../store/store.js'
import { createCallRules } from './call-rules.js'
import type { CatalogueView } from './catalogue-view.js'
import { noCapabilities } from './no-capabilities.contract.js'
import { changeRisk, listAudit, listRisk, type RiskApiDeps } from './risk-api.js'
import { createRiskRegistry, type RiskRegistry } from './risk-registry.js'
import { makeTool, testConfig } from './test-gateway.contract.js'

const dataDirectory = mkdtempSync(join(tmpdir(), 'pml-risk-'))
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

let store: Store
/** Resolves when a test lets the store open. */
let opened: Promise<Store>
let config: PmlConfig
let preferences: Preferences
let registry: RiskRegistry
let counter = 0
let read: Tool
let write: Tool
let remove: Tool

beforeAll(async () => {
  store = await openStore({
    dataDirectory,
    signal: new AbortController().signal,
    onProgress() {},
    log: silentLog,
  })
})
afterAll(async () => {
  await store.close()
  rmSync(dataDirectory, { recursive: true, force: true, maxRetries: 3 })
})
beforeEach(async () => {
  const number = ++counter
  read = makeTool('files', `read${number}`)
  write = makeTool('files', `write_${number}`)
  remove = makeTool('files', `delete_${number}`)
  opened = Promise.resolve(store)
  config = { ...testConfig, servers: [server] }
  await store.saveLearnedState('mcp-permissions', null)
  open()
})

function open(): void {
  const common = { store: () => opened, now: Date.now, newId, log: silentLog }
  preferences = createPreferences(common)
  registry = createRiskRegistry({
    known: { overrides: [], refused: [] },
    async remember() {},
    redact: (text) => text,
    ...common,
    preferences,
    config: () => config,
    tools: () => [read, write, remove],
    tool: () => undefined,
    capabilities: noCapabilities,
  })
}

const by = 'command line'
const auditOf = async (subject: string) =>
  (await store.listPermissionAudit({ limit: 1_000 })).filter((entry) => entry.subject === subject)

describe('what a person sets', () => {
  it('is stronger than the rest, in the audit, and known to the next process', async () => {
    expect(registry.rate(write).risk).toBe('moderate')
    await registry.set(write, 'safe', { reason: ' under version control ', by })
    expect(registry.rate(write)).toMatchObject({ risk: 'safe', source: 'override' })
    expect(await auditOf(write.id)).toMatchObject([
      {
        what: 'risk-set',
        before: 'moderate',
        after: 'safe',
        isEscalation: true,
        reason: 'under version control',
        by,
      },
    ])
    open()
    expect(registry.rate(write).risk).toBe('moderate')
    await registry.load(store)
    expect(registry.rate(write)).toMatchObject({ risk: 'safe', source: 'override' })
  })

  it('takes a reason where it lowers a risk, and none where it raises one', async () => {
    await expect(registry.set(remove, 'moderate', { reason: ' ', by })).rejects.toThrow('takes a reason')
    expect(registry.rate(remove).risk).toBe('dangerous')
    await registry.set(remove, 'moderate', { reason: 'a sandbox', by })
    await registry.set(remove, 'dangerous', { reason: '', by })
    expect((await auditOf(remove.id)).map(({ isEscalation }) => isEscalation)).toEqual([false, true])
  })

  it('can be unset, also of a tool that is gone', async () => {
    await registry.set(write, 'dangerous', { reason: '', by })
    await registry.unset(write.id, by)
    expect(registry.rate(write).risk).toBe('moderate')
    expect((await auditOf(write.id))[0]).toMatchObject({
      what: 'risk-unset',
      after: 'moderate',
      isEscalation: true,
    })
    await expect(registry.unset(write.id, by)).rejects.toThrow('Nobody has set the risk')
    await registry.set(write, 'dangerous', { reason: '', by })
    const { id } = write
    write = makeTool('files', 'another')
    await registry.unset(id, by)
    expect((await auditOf(id))[0]).toMatchObject({
      what: 'risk-unset',
      after: 'as rated',
      isEscalation: true,
    })
  })

  it('is not lost in part: what could not be written does not count', async () => {
    opened = Promise.reject(new Error('away'))
    opened.catch(() => {})
    await expect(registry.set(write, 'safe', { reason: 'x', by })).rejects.toThrow('away')
    expect(registry.rate(write).risk).toBe('moderate')
  })
})

it('what was said last holds before the store is open, and the store knows better', async () => {
  const snapshots: RiskSnapshot[] = []
  const common = { now: Date.now, newId, log: silentLog }
  const early = createRiskRegistry({
    ...common,
    config: () => ({ ...testConfig }),
    tools: () => [write],
    tool: () => undefined,
    capabilities: noCapabilities,
    store: () => new Promise<Store>(() => {}),
    preferences: createPreferences({ ...common, store: () => new Promise<Store>(() => {}) }),
    known: {
      overrides: [{ tool: write.id, risk: 'dangerous', reason: 'no', setAt: 1 }],
      refused: [write.id],
    },
    remember: async (snapshot) => void snapshots.push(snapshot),
    redact: (text) => text,
  })
  expect(early.rate(write)).toMatchObject({ risk: 'dangerous', source: 'override' })
  expect(early.standing(write.id)).toBe('refused')
  await early.load({
    loadRiskOverrides: async () => [],
    async saveRiskOverride() {},
    async savePermissionAudit() {},
    listPermissionAudit: async () => [],
    loadLearnedState: async () => undefined,
    async saveLearnedState() {},
  })
  expect(early.rate(write).source).not.toBe('override')
  expect(early.standing(write.id)).toBeUndefined()
  expect(snapshots).toEqual([{ overrides: [], refused: [] }])
})

describe('mcp-permissions.yaml', () => {
  const readOnly = { servers: { files: { isReadOnly: true } }, toolOverrides: {} }

  it('counts before the store is open, and is in the audit when it is', async () => {
    let letOpen: (store: Store) => void = () => {}
    opened = new Promise((resolve) => {
      letOpen = resolve
    })
    const before = (await auditOf('files:*')).length
    registry.usePermissions(readOnly)
    expect(registry.rate(write)).toMatchObject({ risk: 'safe', source: 'read-only server' })
    await registry.load(store)
    letOpen(store)
    await registry.settled()
    const entries = await auditOf('files:*')
    expect(entries).toHaveLength(before + 1)
    expect(entries[0]).toMatchObject({ isEscalation: true, by: 'mcp-permissions.yaml' })
  })

  it('is in the audit once, however often a process starts with it', async () => {
    registry.usePermissions(readOnly)
    await registry.load(store)
    const before = (await auditOf('files:*')).length
    open()
    registry.usePermissions({ ...readOnly })
    await registry.load(store)
    await registry.settled()
    expect(await auditOf('files:*')).toHaveLength(before)
    registry.usePermissions(noPermissions)
    await registry.settled()
    expect((await auditOf('files:*'))[0]).toMatchObject({ after: 'isReadOnly: false', isEscalation: false })
  })

  it('is audited later where the store was away', async () => {
    const before = (await auditOf('files:*')).length
    opened = Promise.reject(new Error('away'))
    opened.catch(() => {})
    registry.usePermissions(readOnly)
    await registry.settled()
    expect(registry.rate(write).risk).toBe('safe')
    await registry.load(store)
    expect(await auditOf('files:*')).toHaveLength(before + 1)
  })
})

describe('what may run at once', () => {
  it('is what a person says is safe, or people approved three times in a row', async () => {
    expect(registry.mayRunAtOnce(write)).toBe(false)
    for (let i = 0; i < 3; i++) await preferences.answered({ tool: write.id, verdict: 'approve', by: 'page' })
    expect(registry.mayRunAtOnce(write)).toBe(true)
    expect(registry.mayRunAtOnce(read)).toBe(false)
    await registry.set(read, 'safe', { reason: 'reads', by })
    expect(registry.mayRunAtOnce(read)).toBe(true)
  })

  it('is nothing dangerous, whatever was approved', async () => {
    for (let i = 0; i < 10; i++)
      await preferences.answered({ tool: remove.id, verdict: 'approve', by: 'page' })
    expect(registry.mayRunAtOnce(remove)).toBe(false)
  })

  it('is nothing of which the configuration says ask or block', async () => {
    for (let i = 0; i < 3; i++) await preferences.answered({ tool: write.id, verdict: 'approve', by: 'page' })
    for (const does of ['ask', 'block'] as const) {
      config = { ...config, approvals: { ...config.approvals, tools: { 'files:*': does } } }
      expect(registry.mayRunAtOnce(write)).toBe(false)
    }
  })
})

describe('calls judged by it', () => {
  const judge = (id: ToolId) => {
    const tools = [read, write, remove]
    const rules = createCallRules({
      config: () => config,
      tool: (wanted) => tools.find((tool) => tool.id === wanted),
      risk: registry,
    })
    return () => rules.judge({ tool: id, arguments: {}, requireApproval: false })
  }

  it('follow what a person sets at once, under another version of the policy', async () => {
    const now = judge(remove.id)
    const before = now()
    expect(before).toMatchObject({ verdict: 'ask', risk: 'dangerous' })
    await registry.set(remove, 'moderate', { reason: 'a sandbox', by })
    expect(now()).toMatchObject({ verdict: 'run', risk: 'moderate', why: 'A person said so: a sandbox' })
    expect(now().policyVersion).not.toBe(before.policyVersion)
    await registry.unset(remove.id, by)
    expect(now()).toEqual(before)
  })

  it('follow mcp-permissions.yaml at once, under another version of the policy', () => {
    const now = judge(write.id)
    const before = now()
    registry.usePermissions({ servers: {}, toolOverrides: { [write.id]: { risk: 'dangerous' } } })
    expect(now()).toMatchObject({ verdict: 'ask', risk: 'dangerous' })
    expect(now().policyVersion).not.toBe(before.policyVersion)
  })

  it('that were rejected twice ask, until one is approved: and that approval does not void itself', async () => {
    const now = judge(write.id)
    const { policyVersion } = now()
    for (let i = 0; i < 2; i++) await preferences.answered({ tool: write.id, verdict: 'reject', by: 'page' })
    expect(now()).toMatchObject({ verdict: 'ask', risk: 'moderate', answeredBy: 'human', policyVersion })
    expect(now().why).toContain('rejected twice in a row')
    await preferences.answered({ tool: write.id, verdict: 'approve', by: 'page' })
    expect(now()).toMatchObject({ verdict: 'run', policyVersion })
  })

  it('of a dangerous tool ask, whatever was approved', async () => {
    const now = judge(remove.id)
    for (let i = 0; i < 10; i++)
      await preferences.answered({ tool: remove.id, verdict: 'approve', by: 'page' })
    expect(now()).toMatchObject({ verdict: 'ask', answeredBy: 'human' })
  })

  it('follow the configuration first', async () => {
    for (let i = 0; i < 2; i++) await preferences.answered({ tool: write.id, verdict: 'reject', by: 'page' })
    config = { ...config, approvals: { ...config.approvals, tools: { [write.id]: 'allow' } } }
    expect(judge(write.id)()).toMatchObject({ verdict: 'run' })
  })
})

describe('the control API', () => {
  const deps = (): RiskApiDeps => {
    const tools = [read, write, remove]
    const names = {
      resolve: (name: string) => tools.find(({ id }) => id === name || id.replace(':', '__') === name),
      closest: () => [write.id],
    }
    const redact: Redact = (text) => text.replaceAll('s3cret', '[redacted]')
    const view = {
      current: () => ({ names, tools }),
      firstSettled: async () => {},
    } as unknown as CatalogueView
    return { risk: registry, redact, view }
  }
  const list = async (query: string) =>
    (await listRisk(new URLSearchParams(query), deps())).tools.map(({ tool }) => tool)

  it('lists by server and risk, also where the store is away', async () => {
    expect(await list('')).toEqual([read.id, write.id, remove.id])
    expect(await list('risk=dangerous')).toEqual([remove.id])
    expect(await list('server=other')).toEqual([])
    await expect(list('risk=low')).rejects.toThrow('A risk is one of safe, moderate, dangerous')
    opened = Promise.reject(new Error('away'))
    expect(await list('risk=dangerous')).toEqual([remove.id])
  })

  it('sets, unsets and undoes, by any form of the name', async () => {
    const wire = write.id.replace(':', '__')
    const set = { action: 'set', tool: wire, risk: 'safe', reason: 'because s3cret' }
    expect(await changeRisk(set, by, deps())).toMatchObject({ tool: write.id, risk: 'safe' })
    const [entry] = (await listAudit(new URLSearchParams('limit=1'), deps())).audit
    expect(entry).toMatchObject({ subject: write.id, reason: 'because [redacted]', by })
    expect(await changeRisk({ action: 'unset', tool: wire }, by, deps())).toMatchObject({ risk: 'moderate' })
    await preferences.answered({ tool: write.id, verdict: 'reject', by: 'page' })
    expect((await listRisk(new URLSearchParams(), deps())).tools[1]?.preference).toEqual({
      approvals: 0,
      rejections: 1,
    })
    expect(await changeRisk({ action: 'undo', tool: wire }, by, deps())).not.toHaveProperty('preference')
    await expect(changeRisk({ action: 'undo', tool: wire }, by, deps())).rejects.toThrow(
      'Nobody has approved',
    )
  })

  it.each([
    [{}, '"tool" must be'],
    [{ tool: 5, action: 'set' }, '"tool" must be'],
    [{ tool: 'nobody:x', action: 'set', risk: 'safe' }, 'No tool "nobody:x"'],
    [{ tool: 'nobody:x', action: 'unset' }, 'Nobody has set the risk of nobody:x'],
    [{ tool: 'x', action: 'lower' }, '"action" must be'],
    [{ tool: 'x', action: 'set', reason: 'x'.repeat(3_000) }, '"reason" must be'],
  ])('what is wrong is told: %j', async (body, message) => {
    await expect(changeRisk(body, by, deps())).rejects.toThrow(message)
  })

  it('a risk that is none is told, and so is a limit', async () => {
    const body = { action: 'set', tool: write.id, risk: 'low' }
    await expect(changeRisk(body, by, deps())).rejects.toThrow('A risk is one of')
    await expect(listAudit(new URLSearchParams('limit=0'), deps())).rejects.toThrow('"limit"')
  })
})
