/** The command on its real handler and a real store; only the socket between them is left out. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { CatalogueView } from '../../gateway/catalogue-view.js'
import { showSpeculation } from '../../gateway/speculation-api.js'
import { testConfig } from '../../gateway/test-gateway.contract.js'
import { makeSpeculation } from '../../gateway/test-speculation.contract.js'
import { silentLog } from '../../model/log.js'
import type { SpeculationMode } from '../../model/speculation.js'
import { formatToolId } from '../../model/tool.js'
import { openStore } from '../../store/open-store.js'
import type { Store } from '../../store/store.js'
import type { CliCommand, GatewayAccess } from '../cli-command.js'
import { parseCommand } from '../parse-command.js'
import { speculationCommand } from './speculation.js'

const dataDirectory = mkdtempSync(join(tmpdir(), 'pml-speculation-command-'))
let store: Store
let mode: SpeculationMode

beforeAll(async () => {
  const signal = new AbortController().signal
  store = await openStore({ dataDirectory, signal, onProgress() {}, log: silentLog })
})
afterAll(async () => {
  await store.close()
  rmSync(dataDirectory, { recursive: true, force: true, maxRetries: 3 })
})
beforeEach(async () => {
  mode = 'on'
  await store.forgetLearned()
})

async function pml(...argv: readonly string[]): Promise<string> {
  let stdout = ''
  const never = async (): Promise<never> => Promise.reject(new Error('not asked for'))
  const gateway: GatewayAccess = {
    withGateway: (_, use) =>
      use({
        get: (path) =>
          showSpeculation(new URL(path, 'http://x').searchParams, {
            config: () => ({ ...testConfig, speculation: { ...testConfig.speculation, mode } }),
            store: async () => store,
            async flush() {},
            redact: (text) => text,
            view: { current: () => ({ names: { resolve: () => undefined } }) } as unknown as CatalogueView,
          }),
        post: never,
      }),
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
  const command = speculationCommand as unknown as CliCommand
  expect(await command.run({ ...parseCommand(command, argv), io, gateway })).toBe(0)
  return stdout
}

const list = formatToolId('files', 'list')
const predictedAt = Date.UTC(2026, 0, 2, 3, 4, 5)
const rows = [
  makeSpeculation({ outcome: 'hit', savedMs: 1_200, cost: 0.02 }),
  makeSpeculation({ outcome: 'joined', savedMs: 300, source: 'row' }),
  makeSpeculation({ outcome: 'wasted' }),
  makeSpeculation(),
  makeSpeculation({ tool: list, decision: 'refused', refusal: 'below cut-off', outcome: 'right' }),
  makeSpeculation({ tool: list, decision: 'refused', refusal: 'below cut-off', outcome: 'wrong' }),
  makeSpeculation({ tool: list, decision: 'refused', refusal: 'not safe' }),
]

describe('pml speculation', () => {
  it('shows hit rate, waste and saved time by tool, in all, by source, and why calls were not run', async () => {
    await store.saveSpeculations(rows)
    expect(await pml()).toMatchInlineSnapshot(`
      "Speculation is on (careful).

      TOOL        PREDICTED  RUN  USED      WASTED    NOT RUN BUT RIGHT  SAVED
      files:read  4          4    2 (50 %)  1 (25 %)  0                  1.5 s
      files:list  3          0    0         0         1                  0 ms

      In the last 7 days: 7 calls predicted, 4 run ahead, 2 (50 %) used (1 ready, 1 joined under way), 1 (25 %) wasted, 1 still open, 1.5 s saved, $0.02 spent.

      By where the arguments came from:
      SOURCE  PREDICTED  RUN  USED       WASTED    NOT RUN BUT RIGHT  SAVED
      result  6          3    1 (33 %)   1 (33 %)  1                  1.2 s
      row     1          1    1 (100 %)  0 (0 %)   0                  300 ms

      Not run, and why: below cut-off 2, not safe 1.
      "
    `)
  })

  it('shows the newest ones by one', async () => {
    await store.saveSpeculations([
      ...rows.map((row) => ({ ...row, predictedAt })),
      makeSpeculation({
        predictedAt: predictedAt + 1_000,
        arguments: { path: 'a\u202eb' },
        outcome: 'hit',
        savedMs: 1_200,
      }),
    ])
    expect(await pml()).not.toContain('AT (UTC)')
    const told = await pml('--recent', '--days', '100000')
    expect(told).toMatch(
      /AT \(UTC\).*\n2026-01-02 03:04:06 +files:read +0\.90 +result +started +hit +1\.2 s +\{"path":"a\\u\{202e\}b"\}\n/,
    )
    expect(told).toMatch(/files:list +0\.90 +result +refused: not safe +open +\{"path":"a.txt"\}/)
  })

  it('tells of one tool, and speaks JSON', async () => {
    await store.saveSpeculations(rows)
    const told = await pml('files:list')
    expect(told).toMatch(/files:list +3 +0 +0 +0 +1 +0 ms/)
    expect(told).not.toContain('files:read')
    expect(JSON.parse(await pml('files:list', '--json'))).toMatchObject({
      mode: 'on',
      all: { predicted: 3, refused: 3 },
      refusals: { 'below cut-off': 2, 'not safe': 1 },
      recent: [{ tool: 'files:list' }, {}, {}],
    })
  })

  it('says so where nothing was predicted, of a tool or at all', async () => {
    expect(await pml()).toBe(`Speculation is on (careful).

Nothing was predicted in the last 7 days. It comes with calls: what is likely next is known once a session, or others before it, made some.
`)
    expect(await pml('files:red', '--days', '1')).toContain(
      'Nothing was predicted of files:red in the last day. See all tools with: pml speculation',
    )
  })

  it('says so when it is off, and still shows what was before', async () => {
    mode = 'off'
    expect(await pml()).toMatch(/^Speculation is off: .*\n\nNothing was predicted in the last 7 days\.\n$/)
    await store.saveSpeculations(rows)
    expect(await pml()).toMatch(/^Speculation is off: .*files:read +4 +4 +2 \(50 %\)/s)
  })

  it('in shadow it says what it would have saved', async () => {
    mode = 'shadow'
    await store.saveSpeculations([
      ...Array.from({ length: 3 }, () => makeSpeculation({ decision: 'shadow', outcome: 'right' })),
      makeSpeculation({ decision: 'shadow', outcome: 'wrong' }),
    ])
    const told = await pml()
    expect(told).toContain(
      'Speculation is in shadow: calls are predicted and the score is kept, nothing is run',
    )
    expect(told).toContain('3 (75 %) of the predicted calls would have been ready or under way')
  })

  it.each(['0', '-1', '1.5', 'all', ' '])('refuses --days=%j', async (days) => {
    await expect(pml(`--days=${days}`)).rejects.toThrow('--days: expected a whole number above 0')
  })
})
