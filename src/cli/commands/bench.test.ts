import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { main } from '../main.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pml-bench-'))
  write('tools', [
    {
      id: 't1',
      server: 'files',
      name: 'find_file',
      description: 'Finds a file',
      outputSchema: fields('path'),
    },
    {
      id: 't2',
      server: 'files',
      name: 'send_file',
      description: 'Sends a file',
      inputSchema: fields('path'),
    },
  ])
  write(
    'dags',
    Array.from({ length: 20 }, (_, at) => ({
      id: `d${at}`,
      query: 'find the file and then send it',
      nodes: [
        { nid: 'a', tool: 't1' },
        { nid: 'b', tool: at === 19 ? 'gone' : 't2' },
      ],
      edges: [['a', 'b']],
    })),
  )
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function fields(...names: readonly string[]) {
  const properties = Object.fromEntries(names.map((name) => [name, { type: 'string' }]))
  return { type: 'object', properties, required: names }
}

function write(name: string, rows: readonly object[]) {
  writeFileSync(join(folder, `${name}.jsonl`), rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
}

async function pml(...argv: readonly string[]) {
  const output = { stdout: '', stderr: '' }
  const append = (to: keyof typeof output) => ({
    write(text: string) {
      output[to] += text
    },
  })
  const code = await main(argv, {
    stdin: Object.assign(Readable.from([]), { isTTY: false }),
    stdout: append('stdout'),
    stderr: append('stderr'),
    env: { PML_HOME: join(folder, 'home'), PATH: process.env.PATH },
    cwd: folder,
  })
  return { code, ...output }
}

it('bench plan prints figures beside their floors, and opens no data directory', async () => {
  const { code, stdout, stderr } = await pml('bench', 'plan', '--set', '.')
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toContain('19 samples (gold tools given)\n')
  expect(stdout).toContain('samples left out: 1; not in tools.jsonl: gone\n')
  expect(stdout).toMatch(/^floor: all pairs +0\.500 +1\.000 +0\.667 +0\.000$/m)
  expect(stdout).toMatch(/^floor: identical field names +1\.000 +1\.000 +1\.000 +1\.000$/m)
  expect(existsSync(join(folder, 'home'))).toBe(false)
})

it('--json gives the keys of every plan bench, means of seeds with their spread', async () => {
  const { code, stdout } = await pml(
    ...[
      'bench',
      'plan',
      '--set',
      '.',
      '--train',
      folder,
      '--seeds',
      '1-3',
      '--json',
      '--predictions',
      'out.jsonl',
    ],
  )
  expect(code).toBe(0)
  const report = JSON.parse(stdout.trimEnd().split('\n').at(-1)!)
  expect(report).toMatchObject({
    bench: 'plan',
    embedder: 'static-1',
    seeds: [1, 2, 3],
    from_intent: false,
    samples: expect.any(Number),
    link_precision: expect.any(Number),
    link_recall: expect.any(Number),
    link_f1: expect.any(Number),
    exact_graph: expect.any(Number),
    field_f1: null,
    exact_stages: null,
    p50_ms: expect.any(Number),
    spread: { link_f1: expect.any(Number) },
  })
  expect(report.samples + report.learned_plans + report.left_out).toBeCloseTo(20)
  const lines = readFileSync(join(folder, 'out.jsonl'), 'utf8').trimEnd().split('\n')
  expect(Object.keys(JSON.parse(lines[0]!))).toEqual(['id', 'edges', 'fields', 'stages'])
  expect(new Set(lines).size).toBe(lines.length)
})

it.each([
  [['plan'], '--set: expected the folder'],
  [['plan', '--set', 'nowhere'], 'tools.jsonl cannot be read: ENOENT'],
  [['plan', '--set', '.', '--train', 'nowhere'], 'dags.jsonl cannot be read: ENOENT'],
  [['plan', '--set', '.', '--seeds', 'x'], '--seeds: expected a whole number, got "x"'],
  [['plan', '--set', '.', '--predictions', 'nowhere/file'], '--predictions: ENOENT'],
  [['retrieval', '--set', '.', '--train', '.'], '--train: only plan takes it'],
  [['plan', '--set', '.', '--preset', 'eager'], '--preset: only speculate takes it'],
  [['next', '--set', '.', '--hide-request'], '--hide-request: only speculate takes it'],
  [['speculate', '--set', '.', '--preset', 'bold'], '--preset: expected careful or eager'],
  [['speculate', '--set', '.'], 'calls.jsonl cannot be read: ENOENT'],
  [['speed', '--set', '.'], 'What can be measured: retrieval, plan, next, speculate, risk'],
])('bench %j says what is wrong', async (args, why) => {
  const { code, stdout, stderr } = await pml('bench', ...args)
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toContain(why)
})
