/** The commands on their handlers and a real store; only the socket between them is left out. */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { PmlError, UsageError } from '../../errors.js'
import { explainTraces } from '../../gateway/explain-api.js'
import { dropMemory, type MemoryDeps, showMemory, takeMemory } from '../../gateway/memory-api.js'
import { createKnowledgeGraph } from '../../graph/create-knowledge-graph.js'
import type { HolderApi } from '../../holder/holder-api.js'
import { createAlgorithmLog } from '../../learn/records/create-algorithm-log.js'
import type { AlgorithmTrace } from '../../model/algorithm-trace.js'
import type { JsonObject } from '../../model/json.js'
import { silentLog } from '../../model/log.js'
import { newId } from '../../model/new-id.js'
import { createRedact } from '../../model/redact.js'
import { formatToolId } from '../../model/tool.js'
import { openStore } from '../../store/open-store.js'
import type { Store } from '../../store/store.js'
import type { CliCommand, GatewayAccess } from '../cli-command.js'
import { parseCommand } from '../parse-command.js'
import { explainCommand } from './explain.js'
import { memoryCommand } from './memory.js'

const folder = mkdtempSync(join(tmpdir(), 'pml-memory-command-'))
const redact = createRedact(['s3cret-word'])
const [read, write] = [formatToolId('fs', 'read'), formatToolId('fs', 'write')]
let store: Store
let told: string[]

beforeAll(async () => {
  const signal = new AbortController().signal
  store = await openStore({ dataDirectory: join(folder, 'home'), signal, onProgress() {}, log: silentLog })
}, 120_000)
afterAll(async () => {
  await store.close()
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
})

const note = (what: string) => async (): Promise<void> => void told.push(what)
const deps: MemoryDeps = {
  store: async () => store,
  createGraph: () => createKnowledgeGraph({ now: Date.now, cosine: () => undefined }),
  rebuild: note('rebuilt'),
  forgetUnwritten: note('forgot'),
  reload: note('reloaded'),
  redact,
}
let flushRecords = async (): Promise<void> => {}

const api: HolderApi = {
  async get(path) {
    const { pathname, searchParams } = new URL(path, 'http://x')
    if (pathname === '/api/memory') return overTheWire(await showMemory(deps))
    return overTheWire(
      await explainTraces(searchParams.get('trace'), { ...deps, flushRecords: () => flushRecords() }),
    )
  },
  async post(path, body) {
    const given = overTheWire(body) as JsonObject
    return overTheWire(await (path === '/api/memory' ? takeMemory(given, deps) : dropMemory(given, deps)))
  },
}

function overTheWire(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}

async function run(command: unknown, ...argv: readonly string[]) {
  let stdout = ''
  const parsed = parseCommand(command as CliCommand, argv)
  const code = await (command as CliCommand).run({
    ...parsed,
    io: {
      stdin: Object.assign(Readable.from([]), { isTTY: false }),
      stdout: { write: (text) => (stdout += text) },
      stderr: { write() {} },
      env: {},
      cwd: folder,
    },
    gateway: { withGateway: (_, use) => use(api) } as GatewayAccess,
  })
  return { code, stdout }
}

beforeEach(async () => {
  told = []
  flushRecords = async () => {}
  await dropMemory({ withPreferences: true }, deps)
  told = []
})

describe('pml memory', () => {
  const learnSome = () =>
    store.saveLearned({
      traces: [],
      edges: [
        {
          ...{ from: read, to: write, type: 'sequence', source: 'inferred' },
          ...{ count: 2, successes: 2, failures: 0, firstSeen: 1, lastSeen: 2 },
        },
      ],
      betaShifts: [
        { tool: read, shift: { decay: 0.955, successes: 1, failures: 0, observations: 1, at: 5 } },
      ],
    })

  it('goes out to a file of its owner alone and comes back', async () => {
    await learnSome()
    const { stdout } = await run(memoryCommand, 'export', 'team.json')
    expect(stdout).toBe(
      'Wrote team.json: 1 edge, how 1 tool did, what 0 results looked like, 0 thresholds.\n',
    )
    expect(statSync(join(folder, 'team.json')).mode & 0o777).toBe(0o600)
    const forgot = await run(memoryCommand, 'reset', '--yes')
    expect(forgot.stdout).toContain('Forgot 1 edge, how 1 tool did')
    expect(told).toEqual(['forgot', 'forgot', 'rebuilt', 'reloaded'])
    expect(await store.loadEdges()).toEqual([])
    const imported = await run(memoryCommand, 'import', 'team.json')
    expect(imported.stdout).toBe(
      'Imported 1 edge, how 1 tool did, what 0 results looked like, 0 thresholds.\n',
    )
    expect(told.slice(4)).toEqual(['rebuilt', 'reloaded'])
    expect(await store.loadEdges()).toMatchObject([{ count: 2 }])
    await expect(run(memoryCommand, 'import', 'team.json')).rejects.toThrow('imported before')
    const again = await run(memoryCommand, 'import', 'team.json', '--again', '--json')
    expect(JSON.parse(again.stdout)).toMatchObject({ edges: 1, preferences: 0 })
    expect(await store.loadEdges()).toMatchObject([{ count: 4 }])
  })

  it('is never written over, unless that is said, and goes to the output without a file', async () => {
    writeFileSync(join(folder, 'mine.json'), 'mine')
    await expect(run(memoryCommand, 'export', 'mine.json')).rejects.toThrow('is there already')
    expect(readFileSync(join(folder, 'mine.json'), 'utf8')).toBe('mine')
    await run(memoryCommand, 'export', 'mine.json', '--force')
    const { stdout } = await run(memoryCommand, 'export')
    const memory = JSON.parse(stdout)
    expect(memory).toMatchObject({ format: 'pml-memory', version: 1, edges: [] })
    expect(JSON.parse(readFileSync(join(folder, 'mine.json'), 'utf8'))).toEqual({
      ...memory,
      exportedAt: expect.any(Number),
    })
  })

  it('says what is wrong with a file, and changes nothing', async () => {
    await learnSome()
    writeFileSync(join(folder, 'half.json'), '{"format": "pml-mem')
    writeFileSync(join(folder, 'other.json'), '{"servers": {}}')
    writeFileSync(join(folder, 'list.json'), '[]')
    await expect(run(memoryCommand, 'import', 'none.json')).rejects.toThrow('none.json cannot be read')
    await expect(run(memoryCommand, 'import', 'half.json')).rejects.toThrow('half.json is no JSON')
    await expect(run(memoryCommand, 'import', 'other.json')).rejects.toThrow('no memory of PML')
    await expect(run(memoryCommand, 'import', 'list.json')).rejects.toThrow(UsageError)
    await expect(run(memoryCommand, 'import')).rejects.toThrow('Expected the file')
    await expect(run(memoryCommand, 'forget')).rejects.toThrow('Expected export, import or reset')
    await expect(run(memoryCommand, 'reset', 'all')).rejects.toThrow('Unexpected: all')
    expect(told).toEqual([])
    expect(await store.loadEdges()).toHaveLength(1)
  })

  it('is not forgotten unasked where nobody can be asked', async () => {
    await learnSome()
    await expect(run(memoryCommand, 'reset')).rejects.toThrow('no terminal')
    expect(await store.loadEdges()).toHaveLength(1)
  })
})

describe('pml explain', () => {
  const trace: AlgorithmTrace = {
    ...{
      id: newId(),
      at: 1_700_000_000_000,
      kind: 'search',
      mode: 'active_search',
      session: 's',
      runId: 'run-1',
    },
    ...{ intent: 'read s3cret-word\u202e', tool: read, workflowType: 'read', alpha: 0.8, score: 0.61 },
    ...{ signals: { cosine: 1 / 3, context: ['fs:list'] }, threshold: 0.552, decision: 'sure' },
    parameters: {
      threshold: {
        ...{ mode: 'active_search', risk: 'moderate', base: 0.7, successTerm: -0.15, alphaTerm: 0.002 },
        ...{ episodicBoost: 0, sum: 0.552, bounds: [0.4, 0.85], alpha: 0.8 },
        ...{ beta: { alpha: 3.5, beta: 1, observations: 3 }, episodes: { count: 4, successRate: 0.75 } },
      },
    },
    outcome: { what: 'selected', success: true, durationMs: 12, at: 1_700_000_002_000 },
  }

  it('tells all that made a decision and what came of it, in plain words', async () => {
    await store.saveAlgorithmTraces([trace])
    const { stdout } = await run(explainCommand, trace.id)
    expect(stdout).toBe(
      [
        'fs:read: sure',
        `  decision   ${trace.id}`,
        '  at         2023-11-14 22:13:20 UTC, which tools were found (active_search)',
        '  intent     read [redacted]\\u{202e}',
        '  run        run-1',
        '  about      work of kind read, alpha 0.8',
        '  score      0.61 against 0.552: sure',
        '  threshold  0.552 = 0.7 for moderate - 0.15 for how calls went + 0.002 for alpha 0.8, within 0.4 to 0.85',
        '             calls so far: Beta(3.5, 1) of 3 outcomes',
        '             4 situations like it, 75 % went well',
        '  signals    cosine 0.333, context ["fs:list"]',
        '  outcome    selected, went well, took 12 ms, 2.0 s later',
        '',
      ].join('\n'),
    )
  })

  it('tells all of a run, the newest ten, and what was decided a moment ago', async () => {
    const { outcome: _, ...open } = trace
    const others = Array.from({ length: 12 }, (_, at) => ({
      ...open,
      id: newId(),
      at: at + 1,
      runId: 'run-2',
    }))
    await store.saveAlgorithmTraces([trace, ...others])
    const records = createAlgorithmLog({
      ...{ store: async () => store, redact, now: Date.now, newId, onEpisode() {}, log: silentLog },
    })
    flushRecords = records.flush
    const { tool: __, ...plan } = {
      ...open,
      id: newId(),
      at: trace.at + 1,
      kind: 'plan' as const,
      parameters: {},
    }
    records.note([plan])
    const last = JSON.parse((await run(explainCommand, '--json')).stdout)
    expect(last.traces).toHaveLength(10)
    expect(last.traces[0].id).toBe(plan.id)
    const ofRun = JSON.parse((await run(explainCommand, 'run-2', '--json')).stdout)
    expect(ofRun.traces).toHaveLength(12)
    const { stdout } = await run(explainCommand, 'last')
    expect(stdout).toContain('a plan: sure')
    expect(stdout).toContain('outcome    not known yet')
    await records.close()
  })

  it('says so where there is nothing', async () => {
    expect((await run(explainCommand, 'last')).stdout).toContain('Nothing was scored yet')
    const error = await run(explainCommand, 'no-such-id').catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(PmlError)
    expect(error).toMatchObject({ code: 'NOT_FOUND', message: 'Nothing was scored under "no-such-id".' })
  })
})
