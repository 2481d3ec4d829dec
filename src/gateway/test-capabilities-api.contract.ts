/** The routes of capabilities over a real store and HTTP on loopback; servers are left out. */
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PmlError } from '../errors.js'
import type { CapabilityUse } from '../model/capability.js'
import type { JsonObject } from '../model/json.js'
import { silentLog } from '../model/log.js'
import { createRedact } from '../model/redact.js'
import type { ServerConfig } from '../model/server.js'
import type { Tool } from '../model/tool.js'
import { openStore } from '../store/open-store.js'
import type { Store } from '../store/store.js'
import { createSchemaChecks } from '../upstream/schema-checks.js'
import { type ApiDeps, handleApi } from './api.js'
import type { CapabilitiesDeps } from './capabilities-api.js'
import type { CatalogueView } from './catalogue-view.js'
import { type OpenCapabilities, openCapabilities } from './open-capabilities.js'
import { makeTool, testConfig } from './test-gateway.contract.js'
import { openTestRisks } from './test-risk.contract.js'

export interface CapabilitiesApi {
  get(path: string): Promise<unknown>
  post(path: string, body: unknown): Promise<unknown>
  readonly capabilities: OpenCapabilities
  readonly deps: CapabilitiesDeps
  readonly store: Store
  use(name: string, use?: Partial<CapabilityUse>): Promise<void>
  /** As a gateway that starts anew on the same store: nothing that is only in memory counts. */
  reload(): Promise<void>
  /** Forgets all. */
  clear(): Promise<void>
  close(): Promise<void>
}

const testServer: ServerConfig = {
  ...{ name: 'files', transport: 'stdio', command: 'x', args: [], env: {} },
  ...{ disabled: false, stateful: false, trusted: true, timeoutMs: 1, connectTimeoutMs: 1 },
}

export const testSecret = 'tell-nobody-99'

const path = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] } as const
export const testTools: readonly Tool[] = [
  makeTool('files', 'read', { inputSchema: path, annotations: { readOnlyHint: true } }),
  makeTool('files', 'delete', { inputSchema: path, annotations: { destructiveHint: true } }),
  makeTool('web', 'fetch', {
    inputSchema: { type: 'object', properties: { url: { type: 'string' } } },
    annotations: { readOnlyHint: true },
  }),
]

export async function openCapabilitiesApi(tools = testTools): Promise<CapabilitiesApi> {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'pml-capabilities-api-'))
  const { signal } = new AbortController()
  const store = await openStore({ dataDirectory, signal, onProgress() {}, log: silentLog })
  const redact = createRedact([testSecret])
  const resolve = (name: string) => tools.find(({ id }) => id === name || id.replace(':', '__') === name)
  const servers = ['files', 'web'].map((name) => ({ ...testServer, name }))
  const risk = openTestRisks({ config: () => ({ ...testConfig, servers }), tools: () => tools })
  const capabilities = openCapabilities({
    store: async () => store,
    isLearning: () => true,
    tool: resolve,
    riskOf: (id) => {
      const tool = resolve(id)
      return tool === undefined ? 'moderate' : risk.rate(tool).risk
    },
    toolSuccess: () => undefined,
    likeness: async () => 0,
    onChange() {},
    now: Date.now,
    redact,
    log: silentLog,
  })
  await capabilities.load(store)
  const view = {
    current: () => ({ names: { resolve, closest: () => [] }, tools }),
    firstSettled: async () => {},
  } as unknown as CatalogueView
  const deps: CapabilitiesDeps = {
    ...{ capabilities, view, risk, redact },
    memory: { store: async () => store },
    checks: createSchemaChecks({ log: silentLog }),
  }
  const config = () => testConfig
  const server = createServer((request, response) => {
    const apiDeps = { ...deps, config, log: silentLog } as unknown as ApiDeps
    void handleApi(request, response, request.url!.split('?')[0]!, apiDeps)
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const ask = async (url: string, init?: RequestInit): Promise<unknown> => {
    const answer = (await (await fetch(base + url, init)).json()) as {
      error?: { code: string; message: string; hint: string }
    }
    if (answer.error) throw new PmlError(answer.error.code, answer.error.message, answer.error.hint)
    return answer
  }
  const reload = () => capabilities.load(store)

  return {
    ...{ capabilities, deps, store, reload },
    get: (url) => ask(url),
    post: (url, body) => ask(url, { method: 'POST', body: JSON.stringify(body) }),
    async use(name, use = {}) {
      const { id } = capabilities.find(name)
      const noted = { at: Date.now(), success: true, ms: 120, callsMs: 100, ...use }
      await store.noteCapabilityUse(id, noted)
      capabilities.shelf.noteUse(id, noted)
    },
    async clear() {
      for (const { id } of capabilities.shelf.all()) await store.forgetCapability(id)
      await reload()
    },
    async close() {
      await capabilities.close()
      await new Promise((closed) => server.close(closed).closeAllConnections())
      await store.close()
      rmSync(dataDirectory, { recursive: true, force: true, maxRetries: 3 })
    },
  }
}

/** Code that reads one file, and what it is called by. */
export const readFile: JsonObject = {
  code: 'const text = await tools.files.read({ path: args.path })\nreturn text.length',
  name: 'count_letters',
  description: 'Counts the letters of a file.',
}
