/** The command on the real registry, its handlers and a real store; only the socket between them is left out. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { CatalogueView } from '../../gateway/catalogue-view.js'
import { noCapabilities } from '../../gateway/no-capabilities.contract.js'
import { changeRisk, listAudit, listRisk, type RiskApiDeps } from '../../gateway/risk-api.js'
import { createRiskRegistry } from '../../gateway/risk-registry.js'
import { makeTool, testConfig } from '../../gateway/test-gateway.contract.js'
import type { HolderApi } from '../../holder/holder-api.js'
import { createPreferences, type Preferences } from '../../learn/preferences/create-preferences.js'
import type { ToolRule } from '../../model/config.js'
import type { JsonObject } from '../../model/json.js'
import { silentLog } from '../../model/log.js'
import { newId } from '../../model/new-id.js'
import { openStore } from '../../store/open-store.js'
import type { Store } from '../../store/store.js'
import type { CliCommand, GatewayAccess } from '../cli-command.js'
import { parseCommand } from '../parse-command.js'
import { riskCommand } from './risk.js'

const dataDirectory = mkdtempSync(join(tmpdir(), 'pml-risk-command-'))
const tools = [makeTool('files', 'read'), makeTool('files', 'write'), makeTool('mail', 'send')]
let store: Store
let preferences: Preferences
let rules: Readonly<Record<string, ToolRule>>
let api: HolderApi

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
beforeEach(() => {
  rules = {}
  const common = { store: async () => store, now: Date.now, newId, log: silentLog }
  preferences = createPreferences(common)
  const risk = createRiskRegistry({
    known: { overrides: [], refused: [] },
    async remember() {},
    redact: (text) => text,
    ...common,
    preferences,
    config: () => ({ ...testConfig, approvals: { ...testConfig.approvals, tools: rules } }),
    tools: () => tools,
    tool: () => undefined,
    capabilities: noCapabilities,
  })
  const names = {
    resolve: (name: string) => tools.find(({ id }) => id === name),
    closest: () => ['files:write'],
  }
  const view = { current: () => ({ names, tools }), firstSettled: async () => {} } as unknown as CatalogueView
  const deps: RiskApiDeps = { risk, view, redact: (text) => text }
  api = {
    async get(path) {
      const { pathname, searchParams } = new URL(path, 'http://x')
      if (pathname === '/api/status') return { servers: [] }
      return pathname === '/api/risk' ? listRisk(searchParams, deps) : listAudit(searchParams, deps)
    },
    post: (_, body) => changeRisk(body as JsonObject, 'command line', deps),
  }
})

async function pml(...argv: readonly string[]): Promise<string> {
  let stdout = ''
  const never = async (): Promise<never> => Promise.reject(new Error('not asked for'))
  const gateway: GatewayAccess = {
    withGateway: (_, use) => use(api),
    serveStdioClient: never,
    openHttpFront: never,
  }
  const io = {
    stdin: Readable.from([]),
    stdout: {
      write(text: string) {
        stdout += text
      },
    },
    stderr: { write() {} },
    env: {},
    cwd: '/',
  }
  const command = riskCommand as unknown as CliCommand
  expect(await command.run({ ...parseCommand(command, argv), io, gateway })).toBe(0)
  return stdout
}

describe('pml risk', () => {
  it('lists every tool with its risk, who says so, and what people answered', async () => {
    rules = { 'mail:*': 'ask' }
    for (let i = 0; i < 3; i++)
      await preferences.answered({ tool: tools[1]!.id, verdict: 'approve', by: 'page' })
    const told = await pml()
    expect(told).toMatch(/files:read +moderate +name/)
    expect(told).toMatch(/files:write +moderate +name +3 yes, 0 no \(approved\) +It changes something/)
    expect(told).toMatch(/mail:send +dangerous +name +The configuration says ask/)
    expect(told).toContain('3 tools: 0 safe, 2 moderate, 1 dangerous')
    expect(await pml('undo', 'files:write')).toContain('files:write is moderate now.')
    expect(await pml()).not.toContain('3 yes')
  })

  it('takes only those of a server or a risk, and speaks JSON', async () => {
    const { tools } = JSON.parse(await pml('--server', 'mail', '--json'))
    expect(tools).toMatchObject([
      { tool: 'mail:send', risk: 'dangerous', source: 'name', mayRunAtOnce: false },
    ])
    expect(await pml('--risk', 'safe')).toBe('0 tools: 0 safe, 0 moderate, 0 dangerous\n')
  })

  it('sets a risk with its reason, shows it, unsets it, and all of it is in the audit', async () => {
    expect(await pml('set', 'mail:send', 'moderate', '--reason', 'a test account')).toBe(
      'mail:send is moderate now. A person said so: a test account\n',
    )
    expect(await pml()).toMatch(/mail:send +moderate +override/)
    expect(await pml('unset', 'mail:send')).toContain('mail:send is dangerous now.')
    const told = await pml('audit', '--limit', '2')
    expect(told).toMatch(/risk-unset +mail:send +moderate -> dangerous +command line/)
    expect(told).toMatch(
      /risk-set +mail:send +dangerous -> moderate +allows more +command line +a test account/,
    )
    expect(JSON.parse(await pml('audit', '--json')).audit[0]).toMatchObject({ what: 'risk-unset' })
  })

  it.each([
    [['set', 'mail:send', 'safe'], 'takes a reason'],
    [['set', 'mail:send'], 'Expected safe, moderate or dangerous, got nothing'],
    [['set', 'mail:send', 'low'], 'Expected safe, moderate or dangerous, got "low"'],
    [['set', 'nobody:x', 'safe', '--reason', 'x'], 'No tool "nobody:x"'],
    [['set'], 'Expected a tool after set'],
    [['unset', 'mail:send', 'now'], 'Unexpected: now'],
    [['unset', 'files:read'], 'Nobody has set the risk of files:read'],
    [['undo', 'files:read'], 'Nobody has approved or rejected files:read'],
    [['lower', 'x'], 'Expected set, unset, undo or audit, got "lower"'],
    [['audit', '--limit', 'all'], '--limit: expected a whole number above 0'],
    [['--risk', 'low'], 'A risk is one of safe, moderate, dangerous'],
  ])('what is wrong is told: %j', async (argv, message) => {
    await expect(pml(...argv)).rejects.toThrow(message)
  })
})
