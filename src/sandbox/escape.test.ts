import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDenoSandbox, type DenoSandboxOptions } from './create-deno-sandbox.js'
import { type Attempt, escapeAttempts, forgedMessages } from './escape-attempts.contract.js'
import type { Sandbox, SandboxLimits, SandboxOutcome } from './sandbox.js'
import { defaultSandboxLimits } from './sandbox.js'
import { sandboxWorker } from './sandbox-worker.js'

const marker = 'MARKER-7f3a91'
const limits: SandboxLimits = {
  ...defaultSandboxLimits,
  wallMs: 400,
  heapMb: 48,
  memoryMb: 96,
  calls: 200,
  valueChars: 200_000,
  callChars: 200_000,
  logChars: 20_000,
}
/** By the promise: after the wall clock, so long until the child is dead. */
const graceMs = 200
const mostGrowth = 20 * 1_048_576
const lanes = 3
const late = 'its child was dead'

let directory: string
let writable: string
let listener: Server
let connections = 0
let before: number
const collect = garbageCollector()

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'pml-escape-'))
  writable = join(directory, 'writable')
  mkdirSync(writable)
  writeFileSync(join(directory, 'secret.txt'), marker)
  process.env.PML_ESCAPE_SECRET = marker
  listener = createServer((socket) => {
    connections += 1
    socket.end(marker)
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  before = taken()
})

afterAll(() => {
  delete process.env.PML_ESCAPE_SECRET
  listener.close()
  rmSync(directory, { recursive: true, force: true })
})

test('code that means ill gets nothing, ends in time, and leaves the next run as it was', async () => {
  const attempts = allAttempts()
  expect(attempts.length).toBeGreaterThanOrEqual(120)
  expect(await faultsOf(attempts, {})).toEqual([])
}, 120_000)

test('it gets nothing where no name is hidden from it and nothing is said about its text', async () => {
  const attempts = allAttempts()
    .filter(({ naked }) => naked !== undefined)
    .map((attempt) => ({ ...attempt, ends: attempt.naked! }))
  expect(attempts.length).toBeGreaterThanOrEqual(60)
  expect(await faultsOf(attempts, { layers: { check: () => undefined, worker: nakedWorker() } })).toEqual([])
}, 120_000)

test('a message that is forged means nothing', async () => {
  const attempts = forgedMessages.map(({ javascript, ends }) => ({ kind: 'forged', javascript, ends }))
  expect(await faultsOf(attempts, { layers: { check: () => undefined, worker: nakedWorker() } })).toEqual([])
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
}, 120_000)

test('what Deno itself would keep between runs is gone with the run', async () => {
  const naked = createDenoSandbox({
    sizes: limits,
    layers: { check: () => undefined, worker: nakedWorker() },
  })
  const keys = `(await Promise.all((await caches.keys?.() ?? ['kept']).map(async (key) => await caches.has(key)))).filter(Boolean).length`
  const first = await runPlain(naked, `await caches.open('kept'); return ${keys}`)
  const second = await runPlain(naked, `return ${keys}`)
  await naked.close()
  expect([first.value, second.value]).toEqual([1, 0])
})

test('after all of it the gateway holds no more than before', () => {
  expect(connections).toBe(0)
  expect(readdirSync(writable)).toEqual([])
  expect(readFileSync(join(directory, 'secret.txt'), 'utf8')).toBe(marker)
  expect(taken() - before).toBeLessThan(mostGrowth)
})

function allAttempts(): readonly Attempt[] {
  const { port } = listener.address() as { port: number }
  return escapeAttempts({ secret: join(directory, 'secret.txt'), directory: writable, port })
}

/** What did not end as it has to, in words. Who was only late, on a machine that is busy, is tried again alone. */
async function faultsOf(
  attempts: readonly Attempt[],
  options: DenoSandboxOptions,
  isAlone = false,
): Promise<readonly string[]> {
  const faults: string[] = []
  const again: Attempt[] = []
  let next = 0
  const lane = async (): Promise<void> => {
    const pids: number[] = []
    const sandbox = createDenoSandbox({
      ...options,
      ready: 0,
      sizes: limits,
      onChild: (pid) => pids.push(pid),
    })
    for (let i = next++; i < attempts.length; i = next++) {
      const attempt = isAlone ? withTime(attempts[i]!) : attempts[i]!
      const fault = await faultOf(sandbox, attempt, pids, options.layers === undefined)
      if (fault?.startsWith(late) && !isAlone) again.push(attempt)
      else if (fault !== undefined) {
        faults.push(`${attempt.kind}: ${attempt.javascript.slice(0, 120)} => ${fault}`)
      }
    }
    await sandbox.close()
    if (pids.some(isAlive)) faults.push('a child outlived its sandbox')
  }
  await Promise.all(Array.from({ length: isAlone ? 1 : lanes }, lane))
  return again.length === 0 ? faults : [...faults, ...(await faultsOf(again, options, true))]
}

function withTime(attempt: Attempt): Attempt {
  return { ...attempt, wallMs: 4 * (attempt.wallMs ?? limits.wallMs) }
}

async function faultOf(
  sandbox: Sandbox,
  { javascript, ends, wallMs = limits.wallMs }: Attempt,
  pids: readonly number[],
  isProbed: boolean,
): Promise<string | undefined> {
  let beganAt = performance.now()
  const outcome = await sandbox.run(
    {
      javascript: `tools.test.begin().catch(() => {}); ${javascript}`,
      arguments: {},
      seed: 's',
      startedAt: 0,
      depth: 0,
    },
    {
      limits: { ...limits, wallMs },
      signal: new AbortController().signal,
      call: async ({ name }) => {
        if (name === 'test:begin') beganAt = performance.now()
        return { value: null, at: 0 }
      },
    },
  ).result
  while (pids.some(isAlive) && performance.now() - beganAt < wallMs + 5_000)
    await new Promise((r) => setTimeout(r, 2))
  const tookMs = performance.now() - beganAt
  const text = JSON.stringify(outcome)
  if (leaks(text)) return `LEAKED ${text.slice(0, 300)}`
  if (tookMs > wallMs + graceMs) return `${late} after ${Math.round(tookMs)} ms`
  if (!fits(outcome, text, ends) && outcome.error?.code === 'CODE_TIMEOUT')
    return `${late} before it was done`
  if (!fits(outcome, text, ends)) return `ended with ${text.slice(0, 300)}`
  if (!isProbed) return undefined
  const { value } = await runPlain(sandbox, 'return [1 + 1, {}.polluted ?? null]')
  return JSON.stringify(value)?.startsWith('[2,null]')
    ? undefined
    : `the next run gave ${JSON.stringify(value)}`
}

function runPlain(sandbox: Sandbox, javascript: string): Promise<SandboxOutcome> {
  return sandbox.run(
    { javascript, arguments: {}, seed: 's', startedAt: 0, depth: 0 },
    {
      limits: { ...limits, wallMs: 10_000 },
      signal: new AbortController().signal,
      call: async () => ({ value: null, at: 0 }),
    },
  ).result
}

function fits({ error }: SandboxOutcome, text: string, ends: string | RegExp): boolean {
  return typeof ends === 'string' ? error?.code === ends : ends.test(text)
}

/** Of the secret file, of the environment, of the machine, of the other side of the bridge. */
function leaks(text: string): boolean {
  return text.includes(marker) || /root:x:|DENO_DIR=|PATH=/.test(text)
}

/** What runs in the Worker, with every name of Deno left where it is. */
function nakedWorker(): string {
  const text = `(${sandboxWorker})()`
  const naked = text.replace(/hideEvents\(\);?\s+hideGlobals\(\);?/, '')
  expect(naked.length).toBeLessThan(text.length)
  return naked
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

function taken(): number {
  collect()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

function garbageCollector(): () => void {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc') as () => void
}
