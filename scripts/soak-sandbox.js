// `npm run soak:sandbox`: 2,000 programs one after the other, good and bad ones; --runs N says otherwise. Ends with 1 where a process, a
// file, a handle or memory is left.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { ready } from './ready.js'

const { values } = parseArgs({ options: { runs: { type: 'string', default: '2000' } } })
const runs = Number(values.runs)
await ready()
const { createDenoSandbox } = await import('../dist/sandbox/create-deno-sandbox.js')
const { defaultSandboxLimits } = await import('../dist/sandbox/sandbox.js')

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc')
const limits = { ...defaultSandboxLimits, wallMs: 400, heapMb: 64, memoryMb: 128 }
const kinds = [
  ['return await tools.a.b({ n: args.n })', undefined],
  [
    'console.log(args.n); return (await Promise.all([tools.a.b(), tools.c.d(), capabilities.e()])).length',
    undefined,
  ],
  ['return "x".repeat(100000)', undefined],
  ['throw new Error("wrong")', 'CODE_FAILED'],
  ['return await tools.bad.tool()', 'CODE_FAILED'],
  ['const a = = 1', 'CODE_SYNTAX'],
]
/** Each takes its time, so only now and then. */
const rare = [
  ['for (;;) {}', 'CODE_TIMEOUT'],
  ['const a = []; for (;;) a.push(new Uint8Array(1e7).fill(1))', /CODE_MEMORY|CODE_TIMEOUT/],
  ['for (;;) console.log("x".repeat(10000))', 'CODE_TIMEOUT'],
  ['for (;;) tools.a.b({}).catch(() => {})', /CODE_CALLS|CODE_MEMORY|CODE_TIMEOUT/],
]

const directory = mkdtempSync(join(tmpdir(), 'pml-soak-'))
const pids = []
const sandbox = createDenoSandbox({
  temporaryDirectory: directory,
  sizes: limits,
  onChild: (pid) => pids.push(pid),
})
const faults = []
const figures = []
const startedAt = performance.now()
for (let i = 0; i < runs; i++) {
  const [javascript, expected] = i % 40 === 39 ? rare[((i - 39) / 40) % rare.length] : kinds[i % kinds.length]
  const { error } = await sandbox.run(
    { javascript, arguments: { n: i }, seed: String(i), startedAt: 0, depth: 0 },
    { call, limits, signal: new AbortController().signal },
  ).result
  const isExpected = expected instanceof RegExp ? expected.test(error?.code) : error?.code === expected
  if (!isExpected) faults.push(`run ${i}: ${javascript} ended with ${JSON.stringify(error)}`)
  if (i % Math.ceil(runs / 10) === Math.ceil(runs / 10) - 1) await measure(i + 1)
}
const seconds = (performance.now() - startedAt) / 1_000
const [own] = readdirSync(directory)
await settle()
const waiting = pids.filter(isThere).length
const folders = foldersIn(join(directory, own))
await sandbox.close()
const left = pids.filter(isThere)
const leftFiles = readdirSync(directory)
rmSync(directory, { recursive: true, force: true })

if (waiting > 1) faults.push(`${waiting} children while nothing ran`)
if (folders > 1) faults.push(`${folders} directories while nothing ran`)
if (left.length > 0) faults.push(`${left.length} children left, dead or alive`)
if (leftFiles.length > 0) faults.push(`files left: ${leftFiles.join(', ')}`)
judgeGrowth('memory', ({ mb }) => mb, 20)
judgeResident()
judgeGrowth('handles', ({ handles }) => handles, 3)

console.log(
  `${runs} runs in ${seconds.toFixed(0)} s, ${pids.length} children; left: ${left.length} processes, ${leftFiles.length} files`,
)
for (const fault of faults.slice(0, 20)) console.log(fault)
if (faults.length > 0) process.exitCode = 1

async function call({ name }) {
  return name === 'bad:tool'
    ? { error: { code: 'TOOL_ERROR', message: 'no', hint: '' }, at: 1 }
    : { value: 1, at: 1 }
}

async function measure(done) {
  await settle()
  for (let i = 0; i < 3; i++) {
    collect()
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  const { heapUsed, external, rss } = process.memoryUsage()
  const mb = (heapUsed + external) / 1_048_576
  const handles = process.getActiveResourcesInfo().length
  const zombies = pids.filter((pid) => stateOf(pid) === 'Z').length
  figures.push({ mb, handles, resident: rss / 1_048_576 })
  const parts = [`${done} runs`, `${mb.toFixed(1)} MB held`, `${(rss / 1_048_576).toFixed(0)} MB resident`]
  console.log(`${parts.join(', ')}, ${handles} handles, ${openFiles()} open files, ${zombies} zombies`)
}

/** The first tenth warms up. */
function judgeGrowth(what, pick, most) {
  const [first, last] = [figures[0], figures.at(-1)]
  const growth = pick(last) - pick(first)
  if (growth > most) faults.push(`${what} grew by ${growth.toFixed(1)}`)
}

/** It rises while the engine learns how much room it needs, so the halves are compared. */
function judgeResident() {
  const half = figures.length >> 1
  const most = (part) => Math.max(...part.map(({ resident }) => resident))
  const growth = most(figures.slice(half)) - most(figures.slice(0, half))
  if (growth > 20) faults.push(`resident memory grew by ${growth.toFixed(1)} MB in the second half`)
}

function isThere(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

function stateOf(pid) {
  const file = `/proc/${pid}/stat`
  return existsSync(file) ? /\) (\w)/.exec(readFileSync(file, 'utf8'))?.[1] : undefined
}

function openFiles() {
  return existsSync('/proc/self/fd') ? readdirSync('/proc/self/fd').length : 0
}

/** The one that waits for the next program may stay. */
async function settle() {
  const [own] = readdirSync(directory)
  const isSettled = () => pids.filter(isThere).length <= 1 && foldersIn(join(directory, own)) <= 1
  for (let i = 0; i < 100 && !isSettled(); i++) await new Promise((resolve) => setTimeout(resolve, 20))
}

function foldersIn(path) {
  return readdirSync(path).filter((name) => name.startsWith('deno-')).length
}
