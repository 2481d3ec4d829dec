/** Procedures that are learned from programs, through the built gateway: found, run with other values, relied on or not, kept. */
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  alive,
  dataOf,
  eventually,
  fixture,
  type House,
  npmServer,
  openHouse,
  type StdioHouseClient,
  textOf,
} from './harness.js'

let directory: string
let house: House
let gateway: StdioHouseClient

beforeAll(async () => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), 'pml-procedures-')))
  for (const [at, name] of ['a', 'b', 'c', 'd', 'e'].entries())
    writeFileSync(join(directory, `${name}.txt`), name.repeat(at + 1))
  house = openHouse({})
  rule({})
  gateway = await house.stdio()
  // Its database is made, which takes seconds.
  await run('return 0')
}, 120_000)
afterAll(async () => {
  await house.close()
  rmSync(directory, { recursive: true, force: true })
})

/** What the user writes into the configuration, while the gateway runs. */
function rule(settings: object): void {
  house.writeConfig({
    mcpServers: {
      files: npmServer('filesystem', directory),
      memory: { ...npmServer('memory'), env: { MEMORY_FILE_PATH: join(directory, '.memory.jsonl') } },
      ledger: fixture('ledger', join(house.home, 'ledger.jsonl')),
    },
    approvals: { tools: { 'files:write_file': 'allow' } },
    ...settings,
  })
}

const file = (name: string): string => join(directory, `${name}.txt`)

interface Reply {
  readonly status: string
  readonly workflow_id: string
  readonly value?: unknown
  readonly calls?: readonly { readonly tool: string; readonly ok: boolean; readonly within?: string }[]
  readonly tasks?: readonly { readonly tool: string; readonly status: string; readonly result?: unknown }[]
  readonly error?: { readonly code: string; readonly message: string }
}
interface Found {
  readonly id: string
  readonly name: string
  readonly kind?: string
  readonly code: string
  readonly score: number
  readonly signature: string
  readonly parts: {
    readonly capability?: {
      readonly rate: number
      readonly transitive: number
      readonly weakest?: string
      readonly standsInFor?: string
    }
  }
}

async function call<T>(name: string, args: object): Promise<T> {
  return dataOf<T>(await gateway.client.callTool({ name, arguments: args as Record<string, unknown> }))
}
const run = (code: string, more: object = {}): Promise<Reply> => call('execute_code', { code, ...more })
const workflow = (args: object): Promise<Reply> => call('execute_workflow', args)
const discover = async (intent: string, more: object = {}): Promise<readonly Found[]> =>
  (await call<{ tools: readonly Found[] }>('discover', { intent, ...more })).tools
const capabilities = (intent: string): Promise<readonly Found[]> =>
  discover(intent, { kind: 'capability', limit: 50 })

/** Runs it, and gives what was learned of it: that is kept after the reply. */
async function learn(code: string, intent: string): Promise<Found> {
  const before = new Set((await capabilities(intent)).map(({ id }) => id))
  expect(await run(code, { intent })).toMatchObject({ status: 'complete' })
  const found = await eventually(
    // One of another program may come in late: what this one is for is its own.
    async () => (await capabilities(intent)).find(({ id, score }) => !before.has(id) && score > 0.3),
    (one) => one !== undefined,
    5_000,
  )
  return found!
}
const nameOf = ({ code }: Found): string => /^capabilities\.(\w+)\(/.exec(code)![1]!

/** One that learned nothing new has nothing to show: so long is waited for what should not come. */
const aMoment = (): Promise<void> => sleep(400)

test('what a program did once is done twice more by its intent, with other values', async () => {
  const first = await run(
    `const text = await tools.files.read_text_file({ path: '${file('a')}' })
     return { characters: text.content.length }`,
    { intent: `count the characters of ${file('a')}` },
  )
  expect(first.value).toEqual({ characters: 1 })
  const [learned] = await eventually(
    () => capabilities('count the characters of a file'),
    (found) => found.length === 1,
  )
  expect(learned).toMatchObject({ kind: 'capability', signature: expect.stringContaining('(path: string)') })

  // As the thresholds have it: run at once, or suggested with what to run.
  for (const [name, characters] of [
    ['b', 2],
    ['c', 3],
  ] as const) {
    const intent = `count the characters of ${file(name)}`
    const asked = await workflow({ intent })
    const done = asked.status === 'complete' ? asked : await workflow({ intent, mode: 'run' })
    expect(done).toMatchObject({
      status: 'complete',
      tasks: [{ tool: learned!.id, status: 'complete', result: { characters } }],
    })
  }
  // Three uses, all of them good: (3 + 1) / (3 + 2).
  await eventually(
    async () => (await capabilities('count the characters of a file'))[0]?.parts.capability?.rate,
    (rate) => rate === 0.8,
    5_000,
  )
}, 60_000)

test('two programs that differ in names and literals are one capability', async () => {
  const intent = 'list a directory and count what is in it'
  const one = await learn(
    `const listing = await tools.files.list_directory({ path: '${directory}' })
     const lines = listing.content.split('\\n')
     return { count: lines.length, first: lines[0] }`,
    intent,
  )
  await run(
    `// Written by somebody else.
     const found: { content: string } = await tools["files__list_directory"]({ "path": "${directory}" });
     const rows = found.content.split("\\n");
     return { count: rows.length, first: rows[0] };`,
    { intent: 'how much is in this directory?' },
  )
  await aMoment()
  const alike = (await capabilities(intent)).filter(({ id }) => id.startsWith('cap:list'))
  expect(alike).toHaveLength(1)
  expect(alike[0]).toMatchObject({ id: one.id, parts: { capability: { rate: 0.75 } } })

  const another = await learn(
    `const listing = await tools.files.list_directory({ path: '${directory}' })
     return { count: listing.content.split('\\n').length * 2 + 1 }`,
    intent,
  )
  expect(another.id).not.toBe(one.id)
}, 60_000)

test('a single call that gives what its tool gave is no procedure, nor is what failed', async () => {
  const before = (await capabilities('read write file')).length
  await run(`return await tools.files.read_text_file({ path: '${file('a')}' })`, { intent: 'read a file' })
  await run(
    `await tools.files.read_text_file({ path: '${file('a')}' }); await tools.files.read_text_file({ path: '${file('none')}' })`,
    { intent: 'read two files' },
  )
  // What was caught has failed all the same: only what went well from end to end is kept.
  await run(
    `const a = await tools.files.read_text_file({ path: '${file('none')}' }).catch(() => 0); return { a }`,
    { intent: 'read a file, or not' },
  )
  await aMoment()
  expect((await capabilities('read write file')).length).toBe(before)
}, 60_000)

test('code calls a capability by its name; a workflow has it as a task; a client calls it as a tool', async () => {
  const learned = await learn(
    `const { content } = await tools.files.read_text_file({ path: '${file('d')}' })
     return { shout: content.toUpperCase() }`,
    'shout what stands in a file',
  )
  const inCode = await run(
    `const shouted = await Promise.all(args.paths.map((path) => capabilities.${nameOf(learned)}({ path })))
     return shouted.map(({ shout }) => shout).join(' ')`,
    { arguments: { paths: [file('a'), file('b')] } },
  )
  expect(inCode).toMatchObject({ status: 'complete', value: 'A BB' })
  expect(inCode.calls?.map(({ tool }) => tool).sort()).toEqual([
    learned.id,
    learned.id,
    'files:read_text_file',
    'files:read_text_file',
  ])

  const inWorkflow = await workflow({
    tasks: [
      { id: 'shout', tool: learned.id, arguments: { path: file('c') } },
      {
        id: 'keep',
        tool: 'files:write_file',
        arguments: { path: file('shouted'), content: { $from: 'shout.shout' } },
      },
    ],
  })
  expect(inWorkflow).toMatchObject({ status: 'complete', tasks: [{ tool: learned.id }, {}] })
  expect(readFileSync(file('shouted'), 'utf8')).toBe('CCC')

  const asTool = await gateway.client.callTool({ name: learned.name, arguments: { path: file('e') } })
  expect(dataOf(asTool)).toEqual({ shout: 'EEEEE' })
  expect(textOf(asTool)).toBe('{"shout":"EEEEE"}')

  // It is checked like any other tool.
  const wrong = await run(`return await capabilities.${nameOf(learned)}({ path: 5 })`)
  expect(wrong.error).toMatchObject({ code: 'CODE_CHECK', message: expect.stringContaining('line 1') })
  const missing = await gateway.client.callTool({ name: learned.name, arguments: {} })
  expect(missing.isError).toBe(true)
}, 60_000)

test('what a capability gave is not given again after a write', async () => {
  const learned = await learn(
    `const { content } = await tools.files.read_text_file({ path: '${file('a')}' })
     return { backwards: [...content].reverse().join('') }`,
    'turn a text around',
  )
  writeFileSync(file('turned'), 'abc')
  const turned = async () =>
    dataOf(await gateway.client.callTool({ name: learned.name, arguments: { path: file('turned') } }))
  expect(await turned()).toEqual({ backwards: 'cba' })
  await gateway.client.callTool({
    name: 'files__write_file',
    arguments: { path: file('turned'), content: 'xyz' },
  })
  expect(await turned()).toEqual({ backwards: 'zyx' })
  const inCode = await run(
    `const before = await capabilities.${nameOf(learned)}(args)
     await tools.files.write_file({ path: args.path, content: '123' })
     return [before, await capabilities.${nameOf(learned)}(args)]`,
    { arguments: { path: file('turned') } },
  )
  expect(inCode.value).toEqual([{ backwards: 'zyx' }, { backwards: '321' }])
}, 60_000)

test('one that is unreliable lowers the match of what calls it, three levels deep', async () => {
  const inner = await learn(
    `const { content } = await tools.files.read_text_file({ path: '${file('a')}' })
     return { weight: content.length * 3 }`,
    'weigh a text in grams',
  )
  const middle = await learn(
    `const { weight } = await capabilities.${nameOf(inner)}({ path: '${file('b')}' })
     return { price: weight * 7 }`,
    'price of posting a letter',
  )
  const outer = await learn(
    `const { price } = await capabilities.${nameOf(middle)}({ path: '${file('c')}' })
     return { invoice: price + 100 }`,
    'make an invoice for a parcel',
  )
  const outermost = await learn(
    `const { invoice } = await capabilities.${nameOf(outer)}({ path: '${file('d')}' })
     return { total: invoice * 2 }`,
    'close the accounts of the quarter',
  )
  const asked = [
    ['price of posting a letter', middle],
    ['make an invoice for a parcel', outer],
    ['close the accounts of the quarter', outermost],
  ] as const
  const scores = () =>
    Promise.all(
      asked.map(async ([intent, { id }]) => {
        const hit = (await capabilities(intent)).find((one) => one.id === id)
        return { score: hit?.score ?? 0, ...hit?.parts.capability }
      }),
    )
  const before = await scores()
  for (const one of before) expect(one.score, JSON.stringify(before)).toBeGreaterThan(0.3)

  for (let at = 0; at < 8; at++)
    await gateway.client.callTool({ name: inner.name, arguments: { path: file(`none-${at}`) } })
  // Once it fails in more than half of its uses it is asked about, and not used any more.
  const after = await eventually(scores, (now) =>
    now.every(({ score }, at) => score < before[at]!.score * 0.7),
  )
  for (const one of after) expect(one).toMatchObject({ weakest: inner.id })
}, 60_000)

test('an alternative is offered when its twin fails', async () => {
  const intent = 'tell the size of a document'
  const one = await learn(
    `const { content } = await tools.files.read_text_file({ path: '${file('a')}' })
     return { size: content.length, of: 'document' }`,
    intent,
  )
  const other = await learn(
    `const { content } = await tools.files.get_file_info({ path: '${file('a')}' })
     return { size: Number(/size: (\\d+)/.exec(content)[1]), of: 'document' }`,
    intent,
  )
  // The twin works on; the one fails.
  for (const name of ['b', 'c', 'd'])
    expect(
      dataOf(await gateway.client.callTool({ name: other.name, arguments: { path: file(name) } })),
    ).toMatchObject({ of: 'document' })
  for (let at = 0; at < 8; at++)
    await gateway.client.callTool({ name: one.name, arguments: { path: file(`none-${at}`) } })
  const found = await eventually(
    () => capabilities(intent),
    (now) => now[0]?.id === other.id,
  )
  const failing = found.find(({ id }) => id === one.id)
  expect(failing?.score ?? 0).toBeLessThan(found[0]!.score / 2)

  // Asked for by words that only the one that fails was ever run for, the other comes in for it.
  const asked = await workflow({ intent: `${intent} ${file('e')}`, mode: 'run' })
  expect(asked).toMatchObject({ status: 'complete', tasks: [{ tool: other.id, result: { size: 5 } }] })
}, 60_000)

test('hybrid exposure lists a capability that is pinned, and it is called as what it is', async () => {
  // Of a tool that has not failed here: one that fails often makes what needs it dangerous.
  const learned = await learn(
    `const { content } = await tools.files.read_file({ path: '${file('a')}' })
     return { twice: content + content }`,
    'say a text twice',
  )
  rule({ exposure: 'hybrid', hybrid: { pinned: [learned.id], tokenBudget: 1 } })
  const tools = await eventually(
    async () => (await gateway.client.listTools(undefined, { cacheMode: 'bypass' })).tools,
    (now) => now.some(({ name }) => name === learned.name),
  )
  const listed = tools.find(({ name }) => name === learned.name)!
  expect(listed.inputSchema).toMatchObject({ properties: { path: { type: 'string' } }, required: ['path'] })
  expect(tools.filter(({ name }) => name.startsWith('cap__'))).toHaveLength(1)
  expect(
    dataOf(await gateway.client.callTool({ name: learned.name, arguments: { path: file('b') } })),
  ).toEqual({ twice: 'bbbb' })
  rule({})
}, 60_000)

test('a dangerous call within a capability asks whoever calls it, and goes on there, be it by another gateway', async () => {
  interface Asked extends Reply {
    readonly decision: { readonly id: string; readonly tool: string }
  }
  const approve = async ({ decision }: Asked): Promise<void> =>
    expect((await house.pml('approve', decision.id, '--config', house.config)).code).toBe(0)
  const calls = (token: string): readonly string[] =>
    readFileSync(join(house.home, 'ledger.jsonl'), 'utf8')
      .split('\n')
      .filter((line) => line.includes(`"${token}"`) && line.includes('"begin"'))
      .map((line) => (JSON.parse(line) as { tool: string }).tool)

  const first = await run(
    `await tools.ledger.append({ token: 'entry-1' })
     const { token } = await tools.ledger.erase({ token: 'entry-2' })
     return { erased: token }`,
    { intent: 'tidy the ledger up' },
  )
  await approve(first as Asked)
  const [learned] = await eventually(
    () => capabilities('tidy the ledger up'),
    (found) => found[0]?.id.startsWith('cap:tidy') === true,
  )
  expect(learned).toMatchObject({ risk: 'dangerous' })

  const suggested = await workflow({ intent: 'tidy the ledger up, "entry-5" and "entry-6"' })
  expect(suggested.status).not.toBe('complete')
  expect([...calls('entry-5'), ...calls('entry-6')].includes('erase')).toBe(false)

  const nested = await run(
    `await tools.ledger.append({ token: 'entry-0' })
     const { erased } = await capabilities.${nameOf(learned!)}({ token: 'entry-3', token2: 'entry-4' })
     return [erased]`,
  )
  expect(nested).toMatchObject({ status: 'approval_required', decision: { tool: 'ledger:erase' } })
  expect([calls('entry-0'), calls('entry-3'), calls('entry-4')]).toEqual([['append'], ['append'], []])
  process.kill(gateway.pid, 'SIGKILL')
  await eventually(
    () => alive(gateway.pid),
    (lives) => !lives,
  )
  gateway = await house.stdio()
  await approve(nested as Asked)
  const done = await eventually(
    () => call<Reply>('control_workflow', { workflow_id: nested.workflow_id, action: 'status' }),
    ({ status }) => status !== 'running' && status !== 'approval_required',
  )
  expect(done).toMatchObject({ status: 'complete', value: ['entry-4'] })
  expect([calls('entry-0'), calls('entry-3'), calls('entry-4')]).toEqual([['append'], ['append'], ['erase']])
}, 60_000)

test('what was learned is there after a restart, at once, with how it did', async () => {
  // Of a tool that has not failed here.
  const learned = await learn(
    `const { content } = await tools.files.read_file({ path: '${file('a')}' })
     return { initial: content.slice(0, 1).toUpperCase() }`,
    'initial letter of a poem',
  )
  const [invoice] = await capabilities('make an invoice for a parcel')
  expect(invoice?.parts.capability?.weakest).toMatch(/^cap:weigh/)
  await gateway.close()
  gateway = await house.stdio()
  expect(
    dataOf(await gateway.client.callTool({ name: learned.name, arguments: { path: file('c') } })),
  ).toEqual({ initial: 'C' })
  const [after] = await capabilities('make an invoice for a parcel')
  expect(after).toMatchObject({ id: invoice!.id, parts: { capability: invoice!.parts.capability } })
}, 60_000)
