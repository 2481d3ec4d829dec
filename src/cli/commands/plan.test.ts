import { Readable } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import { expect, it } from 'vitest'
import { makeIntentPlan, type TestTask } from '../../gateway/test-plan.contract.js'
import { graphOf } from '../../graph/test-graph.contract.js'
import type { IntentPlan } from '../../model/plan.js'
import { explainPlan } from '../../plan/explain-plan.js'
import type { PlanReply } from '../draw-plan.js'
import { main } from '../main.js'

const search: TestTask = {
  id: 'search',
  tool: 'files:search_files',
  arguments: { path: 'data', pattern: '*.json' },
}
const read: TestTask = {
  id: 'read',
  tool: 'files:read_text_file',
  arguments: { path: { $from: 'search.content[*]' } },
  each: ['search.content[*]'],
}
const note: TestTask = {
  id: 'note',
  tool: 'memory:create_entities',
  arguments: { entities: [{ name: { $from: 'search.content[0]' }, observations: [{ $from: 'read[0]' }] }] },
}
const origin = { confidence: 0.9, why: 'in the request' } as const
const whole = makeIntentPlan([search, read, note], {
  arguments: [
    { task: 'search', argument: 'path', source: 'literal', ...origin },
    { task: 'read', argument: 'path', source: 'wired', ...origin, coerced: 'number to text' },
    { task: 'note', argument: 'entities[0].name', source: 'wired', ...origin },
  ],
})
const missing = [
  { task: 'note', argument: 'entities[0].entityType', description: 'What it is', type: 'string' },
]

function replyOf(plan: IntentPlan, status: PlanReply['status'] = 'suggestion'): PlanReply {
  const explanation = explainPlan(plan, { graph: graphOf([]), pageRank: () => 0.125 })
  return { status, why: 'Only a suggestion was asked for.', plan, explanation, servers: [] }
}

const run = {
  id: 'run-1',
  status: 'complete',
  startedAt: 0,
  tasks: [{ id: 'search', tool: 'files:search_files', arguments: {}, status: 'complete', result: ['a'] }],
}

interface Terminal {
  readonly isTTY?: boolean
  readonly columns?: number
  readonly stdin?: string
}

async function pml(argv: readonly string[], reply: PlanReply, { stdin = '', ...screen }: Terminal = {}) {
  const output = { stdout: '', stderr: '' }
  const asked: { path: string; body: unknown }[] = []
  const post = async (path: string, body: unknown): Promise<unknown> => {
    asked.push({ path, body })
    return path === '/api/plan' ? reply : run
  }
  const never = async (): Promise<never> => Promise.reject(new Error('not asked for'))
  const code = await main(
    argv,
    {
      stdin: Object.assign(Readable.from([Buffer.from(stdin)]), { isTTY: false }),
      stdout: {
        ...screen,
        write: (text) => {
          output.stdout += text
        },
      },
      stderr: {
        write: (text) => {
          output.stderr += text
        },
      },
      env: {},
      cwd: '/',
    },
    {
      withGateway: (_, use) => use({ get: never, post }),
      serveStdioClient: never,
      openHttpFront: never,
    },
  )
  return { code, asked, ...output }
}

it('draws the layers from top to bottom, each task with its arguments and where they come from', async () => {
  const { code, stdout, asked } = await pml(['plan', 'read', 'every file'], replyOf(whole))
  expect(code).toBe(0)
  expect(asked).toEqual([{ path: '/api/plan', body: { intent: 'read every file', arguments: {} } }])
  expect(stdout).toMatchInlineSnapshot(`
    "do it
    suggestion, confidence .80. Only a suggestion was asked for.

    1  search  files:search_files
         path     "data"  literal .90
         pattern  "*.json"
       |
    2  read    files:read_text_file  for each of search.content[*]
         needs  search .93
         path   search.content[*]  wired .90, number to text
       |
    3  note    memory:create_entities
         needs             search .93, read .93
         entities[0].name  search.content[0]  wired .90

    Nothing was run. Run it with: pml plan 'read every file' --run
    "
  `)
})

it('names what is missing in the end, with the line that adds it', async () => {
  const { stdout } = await pml(['plan', "what's up"], replyOf({ ...whole, missing }))
  expect(stdout).toContain('MISSING\n  note.entities[0].entityType  string  What it is\n')
  expect(stdout).toContain('entities[0].entityType  ?')
  expect(stdout.trimEnd().split('\n').at(-1)).toBe(
    `Add what is missing: pml plan 'what'\\''s up' --arguments '{"note.entities[0].entityType":"..."}'`,
  )
})

it('the line that goes on holds what was given', async () => {
  const argv = ['plan', 'do it', '--arguments', 'kind=file']
  expect((await pml(argv, replyOf(whole))).stdout).toContain(`'do it' --arguments '{"kind":"file"}' --run`)
  const { stdout } = await pml(argv, replyOf({ ...whole, missing }))
  expect(stdout).toContain(`--arguments '{"kind":"file","note.entities[0].entityType":"..."}'`)
})

it('says what no tool serves, what to know, and on request why', async () => {
  const plan = { ...whole, unserved: ['and sing'], notes: ['It could be files:find.'] }
  const { stdout } = await pml(['plan', 'do it', '--why'], replyOf(plan))
  expect(stdout).toContain('NO TOOL FOR\n  and sing\n')
  expect(stdout).toContain('NOTES\n  It could be files:find.\n')
  expect(stdout).toContain('needs  search .93 (in this order)')
  expect(stdout).toMatch(/path +"data" +literal .90: in the request/)
  expect(stdout).toContain('WHY\n  search: files:search_files serves')
  expect(stdout).toContain('files:search_files 0.125')
})

it('fits the terminal, and paints only there', async () => {
  const narrow = await pml(['plan', 'do it'], replyOf(whole), { isTTY: true, columns: 40 })
  const drawing = narrow.stdout.split('\n').slice(0, -2)
  for (const line of drawing) expect(stripVTControlCharacters(line).length).toBeLessThanOrEqual(40)
  expect(narrow.stdout).toContain('\u001b[1m')
  expect(narrow.stdout).toContain('│')
  const plain = await pml(['plan', 'do it'], replyOf(whole))
  expect(plain.stdout).not.toMatch(/[^\n\x20-\x7e]/)
})

it('what servers say cannot move the cursor or hide', async () => {
  const odd = makeIntentPlan([{ ...search, arguments: { path: '\u009b2J\u202edata' } }], {
    notes: ['\u001b[2Jgone'],
    intent: 'do\u001b[2J it',
  })
  const { stdout } = await pml(['plan', 'do it'], replyOf(odd))
  expect(stdout).not.toMatch(/[\u001b\u009b\u202e]/)
})

it('--run runs the very tasks that were drawn, by the gateway that planned them', async () => {
  const { code, stdout, asked } = await pml(['plan', 'do it', '--run'], replyOf(whole))
  expect(code).toBe(0)
  expect(asked.map(({ path }) => path)).toEqual(['/api/plan', '/api/run'])
  expect(asked[1]!.body).toEqual({
    follow: false,
    intent: 'do it',
    tasks: [
      search,
      { id: 'read', tool: read.tool, arguments: read.arguments, dependsOn: ['search'] },
      { ...note, dependsOn: ['search', 'read'] },
    ],
  })
  expect(stdout).toMatch(/read +files:read_text_file[\s\S]*complete {2}run-1/)
})

it.each<[string, PlanReply, string]>([
  ['something is missing', replyOf({ ...whole, missing }), 'Add what is missing'],
  ['it is too unsure', replyOf(whole, 'explicit_required'), 'too unsure'],
  ['there is no plan', replyOf(makeIntentPlan([]), 'explicit_required'), 'No tool was found'],
])('--run runs nothing where %s, says so, and fails', async (_why, reply, said) => {
  const plain = await pml(['plan', 'do it', '--run'], reply)
  expect(plain.code).toBe(1)
  expect(plain.stdout).toContain(said)
  const json = await pml(['plan', 'do it', '--run', '--json'], reply)
  expect(json.code).toBe(1)
  expect([...plain.asked, ...json.asked].map(({ path }) => path)).toEqual(['/api/plan', '/api/plan'])
})

it('--json is the whole reply, with the run where it was run', async () => {
  const planned = await pml(['plan', 'do it', '--json'], replyOf(whole))
  expect(JSON.parse(planned.stdout)).toEqual(JSON.parse(JSON.stringify(replyOf(whole))))
  const ran = await pml(['plan', 'do it', '--json', '--run'], replyOf(whole))
  expect(JSON.parse(ran.stdout)).toMatchObject({ status: 'suggestion', run: { id: 'run-1' } })
})

it('takes what is known as JSON, as pairs and from standard input', async () => {
  const known = { 'note.kind': 'file' }
  for (const [word, stdin] of [
    [JSON.stringify(known), ''],
    ['note.kind=file', ''],
    ['-', JSON.stringify(known)],
  ]) {
    const { asked } = await pml(['plan', 'do it', '--arguments', word!], replyOf(whole), { stdin: stdin! })
    expect(asked[0]!.body).toEqual({ intent: 'do it', arguments: known })
  }
})

it.each([
  [['plan'], 'Missing required positional argument: INTENT'],
  [['plan', '  '], 'Expected what you want'],
  [['plan', 'do it', '--arguments', '{"a":'], 'Expected JSON'],
  [['plan', 'do it', '--arguments', 'nonsense'], 'Expected key=value'],
  [['plan', 'do it', '--arguments'], '--arguments needs a value'],
  [['plan', 'do it', '--runs'], 'Did you mean --run?'],
])('%j is a mistake, and nothing is asked', async (argv, said) => {
  const { code, stderr, asked } = await pml(argv, replyOf(whole))
  expect({ code, asked }).toEqual({ code: 2, asked: [] })
  expect(stderr).toContain(said)
})
