/** runs, resume, pause, abort, approve, reject, and what `pml run` asks: the commands on a gateway with real runs. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { PmlError } from '../../errors.js'
import {
  eventually,
  makeTool,
  openTestGateway,
  type TestGateway,
  type TestGatewayOptions,
} from '../../gateway/test-gateway.contract.js'
import type { HolderApi } from '../../holder/holder-api.js'
import type { GatewayAccess } from '../cli-command.js'
import { main } from '../main.js'

let house: TestGateway
let folder: string
/** What somebody else does while a person looks at what waits. */
let meanwhile: () => Promise<unknown>
/** What the gateway answers instead. */
let answers: Readonly<Record<string, unknown>>
beforeEach(() => {
  answers = {}
  meanwhile = async () => {}
  folder = mkdtempSync(join(tmpdir(), 'pml-steer-'))
  writeFileSync(
    join(folder, 'tidy.json'),
    JSON.stringify({
      intent: 'tidy up',
      tasks: [
        { id: 'look', tool: 'files:read', arguments: { text: 'a.txt' } },
        { id: 'rm', tool: 'files:delete', arguments: { text: 'a\u202e.txt' }, dependsOn: ['look'] },
      ],
    }),
  )
  open()
})
afterEach(async () => {
  await house.close()
  rmSync(folder, { recursive: true, force: true })
})

function open(options: TestGatewayOptions = {}): void {
  const tools = [makeTool('files', 'read'), makeTool('files', 'delete')]
  house = openTestGateway({ tools, ...options })
}

/** The API of the test gateway, as `reach-holder.ts` speaks it. */
async function openApi(): Promise<HolderApi> {
  const url = await house.listen('local')
  const exchange = async (path: string, init?: RequestInit): Promise<unknown> => {
    const answer = (await (await fetch(url + path, init)).json()) as { error?: PmlError }
    if (answer.error) throw new PmlError(answer.error.code, answer.error.message, answer.error.hint)
    return answer
  }
  return {
    async get(path) {
      const answer = answers[path] ?? (await exchange(path))
      if (path === '/api/decisions') await meanwhile()
      return answer
    },
    post: (path, body) => exchange(path, { method: 'POST', body: JSON.stringify(body) }),
  }
}

const never = async (): Promise<never> => Promise.reject(new Error('not asked for'))
const gateway: GatewayAccess = {
  withGateway: async (_, use) => use(await openApi()),
  serveStdioClient: never,
  openHttpFront: never,
}

async function pml(argv: readonly string[], { typed = '', isTTY = false } = {}) {
  const output = { stdout: '', stderr: '' }
  const write = (to: 'stdout' | 'stderr') => (text: string) => {
    output[to] += text
  }
  const code = await main(
    argv,
    {
      stdin: Object.assign(Readable.from([Buffer.from(typed)]), { isTTY }),
      stdout: { isTTY, write: write('stdout') },
      stderr: { isTTY, write: write('stderr') },
      env: { NO_COLOR: '1' },
      cwd: folder,
    },
    gateway,
  )
  return { code, ...output }
}

const called = (): readonly string[] => house.calls.map(({ tool }) => tool)
const json = async (...argv: string[]) => JSON.parse((await pml([...argv, '--json'])).stdout)
/** A run that waits for a yes. */
const waiting = async (): Promise<{ readonly run: string; readonly decision: string }> => {
  const { id, decisions } = await json('run', 'tidy.json')
  return { run: id, decision: decisions[0].id }
}

describe('run', () => {
  it('without a terminal says what waits and how to answer, with exit code 3', async () => {
    const { code, stdout } = await pml(['run', 'tidy.json'])
    expect(code).toBe(3)
    expect(stdout).toMatch(/look +files:read +complete/)
    expect(stdout).toMatch(/rm +files:delete +waiting/)
    expect(stdout).toMatch(/approval_required {2}[\da-f-]{36}/)
    expect(stdout).toContain('files:delete  dangerous')
    expect(stdout).toContain('"text": "a\\u{202e}.txt"')
    expect(stdout).toMatch(/expires +in \d/)
    expect(stdout).toMatch(
      /approve with: pml approve [\da-f-]{36}\n {2}reject with: {2}pml reject [\da-f-]{36}\n$/,
    )
    expect(called()).toEqual(['files:read'])
  })

  it.each([
    ['y\n', 0, ['files:read', 'files:delete'], 'complete'],
    ['n\n', 1, ['files:read'], 'partial_failure'],
    ['\n', 1, ['files:read'], 'partial_failure'],
    ['', 1, ['files:read'], 'partial_failure'],
  ])('at a terminal asks, and %j gives %i', async (typed, code, calls, status) => {
    const told = await pml(['run', 'tidy.json'], { typed, isTTY: true })
    expect(told.stderr).toContain('files:delete  dangerous')
    expect(told.stderr).toContain('Call it? [y/N] ')
    expect(told.code).toBe(code)
    expect(told.stdout).toContain(status)
    expect(called()).toEqual(calls)
    const [run] = (await json('runs')).runs
    expect((await json('runs', 'show', run.id)).decisions[0].answer).toMatchObject({ by: 'command line' })
  })

  it('--yes approves what it asks, also for programs', async () => {
    expect(await pml(['run', 'tidy.json', '--yes'])).toMatchObject({ code: 0, stderr: '' })
    expect((await json('run', 'tidy.json', '--yes')).status).toBe('complete')
    expect(called()).toHaveLength(4)
  })

  it('for programs it never asks', async () => {
    const { code, stdout } = await pml(['run', 'tidy.json', '--json'], { typed: 'y\n', isTTY: true })
    expect([code, JSON.parse(stdout).status]).toEqual([3, 'approval_required'])
  })

  it('a workflow that came by standard input is not answered by what follows it', async () => {
    const typed = JSON.stringify([{ id: 'rm', tool: 'files:delete' }])
    expect((await pml(['run', '-'], { typed, isTTY: true })).code).toBe(3)
    expect(called()).toEqual([])
  })
})

describe('approve and reject', () => {
  it('without an id show what waits, and answer nothing', async () => {
    expect(await pml(['approve'])).toMatchObject({ code: 0, stdout: 'Nothing waits for an answer.\n' })
    const { run, decision } = await waiting()
    const { code, stdout } = await pml(['approve'])
    expect(code).toBe(0)
    for (const shown of [
      'files:delete  dangerous',
      `decision  ${decision}`,
      `run       ${run}, task rm`,
      'asked by  pml run',
      'so far    ',
      'expires   in ',
      'arguments {\n              "text": "a\\u{202e}.txt"\n            }',
      `pml approve ${decision}`,
    ])
      expect(stdout).toContain(shown)
    expect((await json('reject')).decisions).toMatchObject([{ id: decision }])
    expect(called()).toEqual(['files:read'])
  })

  it.each([
    'decision',
    'run',
  ] as const)('by a %s, tell what was decided and what the run does now', async (by) => {
    const made = await waiting()
    const { code, stdout } = await pml(['approve', made[by], '--reason', 'looked', '--yes'])
    expect(stdout).toBe(
      `Approved files:delete of task rm (${made.decision}).\nRun ${made.run}: complete. See: pml runs show ${made.run}\n`,
    )
    expect(code).toBe(0)
    expect(called()).toEqual(['files:read', 'files:delete'])
  })

  it('the beginning of an id will do to reject, where only one has it', async () => {
    const { decision } = await waiting()
    expect((await pml(['reject', decision.slice(0, 30)])).stdout).toContain('Rejected files:delete')
    await waiting()
    await waiting()
    const { code, stderr } = await pml(['reject', '0'])
    expect([code, stderr]).toEqual([2, expect.stringContaining('2 decisions and 2 runs that wait')])
  })

  it('nothing is approved by the beginning of an id: another call may have come to have it', async () => {
    const seen = await waiting()
    await house.runs.decide(seen.decision, { verdict: 'reject', by: 'page' })
    const other = await waiting()
    for (const named of [seen.decision.slice(0, 8), other.decision.slice(0, 35), other.run.slice(0, 35)]) {
      const { code, stderr } = await pml(['approve', named, '--yes'], { typed: 'y\n', isTTY: true })
      expect(code).toBe(2)
      expect(stderr).toContain(`"${named}" is only the beginning of an id`)
      expect(stderr).toContain(`${other.decision}  files:delete (run ${other.run}, task rm)`)
      expect(stderr).not.toContain(seen.decision)
    }
    expect(called()).not.toContain('files:delete')
    expect((await pml(['approve', seen.decision])).code).toBe(1)
    expect(called()).not.toContain('files:delete')
  })

  it.each(['run', '--all'])('of %s nothing is approved unseen: it needs a terminal or --yes', async (by) => {
    const made = await waiting()
    const named = by === 'run' ? made.run : by
    for (const told of [
      await pml(['approve', named]),
      await pml(['approve', named, '--json'], { typed: 'y\n', isTTY: true }),
    ]) {
      expect(told.code).toBe(2)
      expect(told.stdout + told.stderr).toContain('add --yes')
    }
    for (const typed of ['n\n', '\n', '']) {
      const { code, stderr } = await pml(['approve', named], { typed, isTTY: true })
      expect([code, stderr]).toEqual([1, expect.stringContaining('Nothing was approved.')])
    }
    expect(called()).toEqual(['files:read'])
    const { code, stderr } = await pml(['approve', named], { typed: 'y\n', isTTY: true })
    expect(stderr).toContain(`decision  ${made.decision}`)
    expect(stderr).toContain('"text": "a\\u{202e}.txt"')
    expect(stderr).toContain('Approve it? [y/N] ')
    expect(code).toBe(0)
    expect(called()).toEqual(['files:read', 'files:delete'])
  })

  it('what is asked after all was shown is not approved with it', async () => {
    await waiting()
    let later = { run: '', decision: '' }
    meanwhile = async () => {
      meanwhile = async () => {}
      later = await waiting()
    }
    expect((await pml(['approve', '--all', '--yes'])).stdout.match(/^Approved/gm)).toHaveLength(1)
    expect((await json('approve')).decisions).toMatchObject([{ id: later.decision }])
  })

  it('--all answers everything; a word with it is refused', async () => {
    await waiting()
    await waiting()
    const { stdout, stderr } = await pml(['approve', '--all'], { typed: 'y\n', isTTY: true })
    expect(stderr).toContain('Approve all 2? [y/N] ')
    expect(stdout.match(/^Approved/gm)).toHaveLength(2)
    expect(called()).toHaveLength(4)
    expect(await pml(['approve', '--all'])).toMatchObject({
      code: 0,
      stdout: 'Nothing waits for an answer.\n',
    })
    expect((await pml(['approve', 'x', '--all'])).code).toBe(2)
    await waiting()
    expect((await pml(['reject', '--all'])).stdout).toMatch(/^Rejected files:delete/)
    expect((await pml(['reject', '--all', '--yes'])).stderr).toContain('Unknown option --yes.')
  })

  it('where a run asks several things, its id is said to answer them all', async () => {
    const tasks = ['a', 'b'].map((id) => ({ id, tool: 'files:delete', arguments: { text: id } }))
    writeFileSync(join(folder, 'both.json'), JSON.stringify({ tasks }))
    const { id } = await json('run', 'both.json')
    await waiting()
    const hint = `All 2 of run ${id} at once: pml approve ${id}, or: pml reject ${id}`
    for (const argv of [['approve'], ['runs'], ['runs', 'show', id]])
      expect((await pml(argv)).stdout.match(/^All .*$/gm)).toEqual([hint])
    expect((await pml(['approve', id, '--yes'])).stdout.match(/^Approved/gm)).toHaveLength(2)
    expect((await json('approve')).decisions).toHaveLength(1)
  })

  it('what was answered before is told as it is; once more is fine', async () => {
    const { run, decision } = await waiting()
    expect((await pml(['approve', run, '--yes'])).code).toBe(0)
    const again = await pml(['approve', run])
    expect(again).toMatchObject({
      code: 0,
      stdout: `Nothing waits for an answer of run ${run}: it is complete.\n`,
    })
    expect(await json('approve', run)).toEqual({ answers: [], runs: [] })
    expect((await pml(['approve', decision])).code).toBe(0)
    expect((await pml(['reject', decision])).code).toBe(1)
    const unknown = await pml(['approve', 'none'])
    expect([unknown.code, unknown.stdout]).toEqual([1, expect.stringContaining('No decision "none".')])
    expect(called()).toEqual(['files:read', 'files:delete'])
  })

  it('one that is refused does not keep the others from being answered, and makes the exit code 1', async () => {
    const { decision } = await waiting()
    await waiting()
    meanwhile = () => house.runs.decide(decision, { verdict: 'reject', by: 'page' })
    const { code, stdout } = await pml(['approve', '--all', '--yes'])
    expect(code).toBe(1)
    expect(stdout).toContain(`Not taken, ${decision}: `)
    expect(stdout.match(/^Approved/gm)).toHaveLength(1)
    expect(called().filter((tool) => tool === 'files:delete')).toHaveLength(1)
  })
})

describe('runs', () => {
  it('shows those that wait first, with what they wait for and the command to answer', async () => {
    expect((await pml(['runs'])).stdout).toBe('No runs yet.\n')
    const { run, decision } = await waiting()
    const { id: done } = await json('run', 'tidy.json', '--yes')
    const { stdout } = await pml(['runs'])
    const [head, first, second] = stdout.split('\n')
    expect(head).toMatch(/^RUN +STATUS +TASKS +AGE +INTENT$/)
    expect(first).toMatch(new RegExp(`^${run} +approval_required +2 +(?:\\d+ ms|[\\d.]+ s) +tidy up$`))
    expect(second).toMatch(new RegExp(`^${done} +complete +2`))
    expect(stdout).toContain(`approve with: pml approve ${decision}`)
    expect((await json('runs', '--limit', '1')).runs).toHaveLength(1)
  })

  it.each([
    ['of a gateway that goes on with it', 1, 'is taken up again, or'],
    ['opened for this command alone', process.pid, 'go on with'],
  ])('of a run that was left, %s says how it goes on', async (_, pid, said) => {
    const left = { id: 'r1', status: 'running', tasks: 1, startedAt: Date.now(), isElsewhere: true }
    answers = { '/api/runs?limit=20': { runs: [left] }, '/api/status': { pid } }
    expect((await pml(['runs'])).stdout).toContain(`left: ${said}: pml resume r1\n`)
  })

  it('show ID tells tasks, decisions and what comes next', async () => {
    const { run, decision } = await waiting()
    const open = await pml(['runs', 'show', run.slice(0, 25)])
    expect(open.code).toBe(0)
    expect(open.stdout).toMatch(/^tidy up\nstarted \d{4}-/)
    expect(open.stdout).toMatch(/look +files:read +complete +\d+ ms +\{"text":"a.txt"\}/)
    expect(open.stdout).toContain(`pml approve ${decision}`)
    await pml(['reject', decision, '--reason', 'not this one'])
    const { stdout } = await pml(['runs', 'show', run])
    expect(stdout).toMatch(/DECISION +TASK +TOOL +ANSWER +BY +AT \(UTC\) +REFUSED +REASON/)
    expect(stdout).toMatch(
      new RegExp(`${decision} +rm +files:delete +reject +command line .* 0 +not this one`),
    )
  })

  it.each([
    [['runs', 'show'], 2, 'Expected the id of a run.'],
    [['runs', '01981b6e'], 2, 'pml runs show 01981b6e'],
    [['runs', 'show', 'a', 'b'], 2, 'Unexpected: b.'],
    [['runs', '--limit', '0'], 2, '--limit: expected a whole number above 0, got "0".'],
    [['runs', 'show', 'none'], 1, 'List runs with: pml runs'],
    [['resume', 'none'], 1, 'No workflow "none".'],
    [['abort', 'none'], 1, 'No workflow "none".'],
    [['pause'], 2, 'Missing required positional argument'],
  ])('%j is %i', async (argv, code, said) => {
    const told = await pml(argv)
    expect([told.code, told.stderr]).toEqual([code, expect.stringContaining(said)])
  })
})

describe('pause, resume and abort', () => {
  let endCall = (): void => {}
  beforeEach(async () => {
    await house.close()
    open({
      callTool: async ({ signal }) => {
        await new Promise<void>((resolve) => {
          endCall = resolve
          signal.addEventListener('abort', () => resolve(), { once: true })
        })
        return { content: [{ type: 'text', text: 'done' }] }
      },
    })
  })
  const start = async () => {
    const running = pml(['run', 'tidy.json', '--yes'])
    await eventually(
      () => called().length,
      (count) => count === 1,
    )
    return { running, id: (await json('runs')).runs[0].id as string }
  }

  it('a paused run says what comes next, and goes on to its end', async () => {
    const { running, id } = await start()
    expect((await pml(['pause', id])).stdout).toContain(`Go on with: pml resume ${id}`)
    endCall()
    const paused = await running
    expect(paused.code).toBe(3)
    expect(paused.stdout).toContain('Next:\n  rm  files:delete')
    expect(paused.stdout).toContain(`Go on with: pml resume ${id}\nEnd it with: pml abort ${id}\n`)
    expect((await pml(['runs'])).stdout).toContain(`paused: go on with: pml resume ${id}`)
    const resumed = pml(['resume', id.slice(0, 25), '--yes'])
    await eventually(
      () => called().length,
      (count) => count === 2,
    )
    endCall()
    expect(await resumed).toMatchObject({ code: 0, stdout: expect.stringContaining(`complete  ${id}`) })
    expect((await pml(['resume', id])).stderr).toContain('The workflow has ended: complete.')
  })

  it('abort ends it, for who started it too', async () => {
    const { running, id } = await start()
    expect(await pml(['abort', id, '--reason', 'wrong folder'])).toMatchObject({
      code: 0,
      stdout: `aborted  ${id}\n`,
    })
    expect((await running).code).toBe(1)
  })
})
