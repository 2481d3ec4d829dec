/** PostgreSQL is stopped under load and started again: nothing is told that is not stored, and everything goes on afterwards. */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isRunEnded, type Run } from '../src/model/run.js'
import { startGateway, type TestGateway } from './crash/gateway.js'
import { type LedgerLine, readLedger } from './crash/ledger.js'
import { isOver, type KnownRun, Memory } from './crash/memory.js'
import type { TokenOf, Workflow } from './crash/workflows.js'
import { eventually, fixture, type House, openHouse } from './harness.js'
import { findPostgres, startPostgres, type TestPostgres } from './start-postgres.js'

const bin = findPostgres()
if (bin === undefined) console.info('skipped: there is no PostgreSQL on this machine')
const workflows = 20

/** Six steps of a quarter of a second, every other of which must not be repeated, and one beside them. */
function makeSteps(name: string): Workflow {
  const calls = new Map<string, TokenOf>()
  const tasks = Array.from({ length: 7 }, (_, at) => {
    const id = at === 6 ? 'beside' : `step${at}`
    const tool = at % 2 === 0 ? 'append' : 'put'
    const token = `${name}/${id}`
    calls.set(id, { token, tool })
    const after = at === 0 || at === 6 ? {} : { after: { $from: `step${at - 1}.call` } }
    return { id, tool: `ledger:${tool}`, arguments: { token, ms: 250, ...after } }
  })
  return { name, shape: 'steps', tasks, calls, perLayer: false }
}

describe.runIf(bin !== undefined)('the database goes away while 20 workflows run', () => {
  let postgres: TestPostgres
  let databaseUrl: string
  let house: House
  let gateway: TestGateway
  let ledger: string
  const memory = new Memory()
  const runs: KnownRun[] = []

  beforeAll(async () => {
    postgres = await startPostgres(bin!)
    databaseUrl = await postgres.createDatabase()
    const settings = { exposure: 'meta', replyWithinMs: 400 }
    house = openHouse({}, settings, { DATABASE_URL: databaseUrl, PML_LOG: 'error' })
    ledger = join(house.home, 'ledger.jsonl')
    house.writeConfig({ mcpServers: { ledger: fixture('ledger', ledger) }, ...settings })
    gateway = startGateway({
      config: house.config,
      env: house.env,
      onEvent: (event) => memory.hear(event),
    })
    await gateway.ready
    await eventually(
      () => gateway.get<{ tools: readonly unknown[] }>('/api/tools'),
      ({ tools }) => tools.length > 0,
    )
    await gateway.get('/api/runs')
  })
  afterAll(async () => {
    await gateway?.end()
    await postgres?.stop()
    await house?.close()
  })

  const begin = async (name: string): Promise<Record<string, unknown>> => {
    const workflow = makeSteps(name)
    const run = memory.expect(workflow)
    runs.push(run)
    const reply = await gateway.call('execute_workflow', { intent: name, tasks: workflow.tasks })
    memory.seeReply(run, reply)
    return reply
  }
  const toldEnds = (): readonly string[] =>
    runs.flatMap(({ id, told }) => [...told.keys()].map((task) => `${id} ${task}`)).sort()
  const begun = (): number => readLedger(ledger).filter(({ phase }) => phase === 'begin').length

  it('nothing is told while it cannot be stored, and what stands still says why', async () => {
    await Promise.all(Array.from({ length: workflows }, (_, at) => begin(`away-${at}`)))
    await eventually(toldEnds, (ends) => ends.length >= workflows)
    await postgres.halt()
    // What was stored before it stopped may be told a moment later.
    await sleep(300)
    const told = toldEnds()
    const late = begin('away-late')
    await sleep(1_500)

    const replies = await Promise.all(
      runs
        .filter(({ id }) => id !== undefined)
        .map(async (run) => {
          const reply = await gateway.call('control_workflow', { workflow_id: run.id, action: 'status' })
          memory.seeReply(run, reply)
          return reply
        }),
    )
    expect(toldEnds()).toEqual(told)
    const standing = replies.filter(({ status }) => status === 'running')
    expect(standing.length).toBeGreaterThan(workflows / 2)
    for (const reply of standing) expect(reply).toMatchObject({ stored: false, trouble: expect.any(String) })

    // One that was begun meanwhile is told as such, and nothing of it is called.
    expect(await late).toMatchObject({ status: 'running', stored: false })
    expect(readLedger(ledger).filter(({ token }) => token.startsWith('away-late/'))).toEqual([])
    const calls = begun()
    await sleep(1_000)
    expect(begun()).toBe(calls)
  })

  it('what was told is in the database when it is back', async () => {
    const told = runs.map(({ id, told: ends }) => ({ id, ends: new Map(ends) }))
    await postgres.resume()
    const client = new pg.Client({ connectionString: databaseUrl })
    await client.connect()
    const rows = await client.query<{ run_id: string; id: string; status: string }>(
      'select run_id, id, status from task',
    )
    await client.end()
    const stored = new Map(rows.rows.map((row) => [`${row.run_id} ${row.id}`, row.status]))
    for (const { id, ends } of told)
      for (const [task, { status }] of ends) expect(stored.get(`${id} ${task}`)).toBe(status)
  })

  it('all go on to their end by themselves, and nothing is called twice', async () => {
    const reports = await Promise.all(
      runs.map((run) =>
        eventually(
          () => gateway.get<Run>(`/api/runs/${run.id}`),
          ({ status }) => isRunEnded(status),
          40_000,
        ),
      ),
    )
    expect(reports.map(({ status }) => status)).toEqual(runs.map(() => 'complete'))
    for (const report of reports) {
      expect(report.tasks.every(({ status }) => isOver(status))).toBe(true)
      expect(report.decisions).toBeUndefined()
    }
    expect(memory.violations).toEqual([])
    expect(callsByToken(readLedger(ledger))).toEqual(
      new Map(runs.flatMap(({ calls }) => [...calls.values()].map(({ token }) => [token, 1]))),
    )
  })
})

function callsByToken(lines: readonly LedgerLine[]): ReadonlyMap<string, number> {
  const calls = new Map<string, number>()
  for (const { phase, token } of lines) if (phase === 'begin') calls.set(token, (calls.get(token) ?? 0) + 1)
  return calls
}
