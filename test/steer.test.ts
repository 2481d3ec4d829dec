/** What a person steers from a terminal, with the built program, its database and a real server: rows 14 and 15 of what users run into. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { eventually, fixture, type House, openHouse, pmlBin } from './harness.js'

let house: House
let ledger: string
beforeEach(() => {
  house = openHouse({}, { http: { port: 0 } })
  ledger = join(house.home, 'ledger.jsonl')
  house.writeConfig({ mcpServers: { ledger: fixture('ledger', ledger) }, http: { port: 0 } })
})
afterEach(() => house.close())

const pml = (...args: string[]) => house.pml(...args, '--config', house.config)
const json = async (...args: string[]) => JSON.parse((await pml(...args, '--json')).stdout)
const called = (): readonly string[] =>
  existsSync(ledger)
    ? readFileSync(ledger, 'utf8')
        .split('\n')
        .flatMap((line) => (line.includes('"begin"') ? [JSON.parse(line).tool as string] : []))
    : []

function workflow(...tasks: readonly object[]): string {
  const file = join(house.home, 'tasks.json')
  writeFileSync(file, JSON.stringify({ intent: 'tidy up', tasks }))
  return file
}
const look = { id: 'look', tool: 'ledger:read', arguments: { token: 'a' } }
const erase = { id: 'rm', tool: 'ledger:erase', arguments: { token: 'b' }, dependsOn: ['look'] }

it('a run without a terminal ends at a question that outlives its process, and is answered by the next', async () => {
  const asked = await pml('run', workflow(look, erase))
  expect(asked.code).toBe(3)
  const [, decision] = /approve with: pml approve (\S+)/.exec(asked.stdout)!
  expect((await pml('runs')).stdout).toContain(`pml approve ${decision}`)
  expect(called()).toEqual(['read'])
  const approved = await pml('approve', decision!)
  expect(approved).toMatchObject({ code: 0, stdout: expect.stringContaining(': complete.') })
  expect(called()).toEqual(['read', 'erase'])
  // The same answer again changes nothing.
  expect((await pml('approve', decision!)).code).toBe(0)
  expect((await pml('reject', decision!)).code).toBe(1)
  expect(called()).toEqual(['read', 'erase'])
}, 180_000)

it('a question is answered at a gateway that runs, which goes on by itself', async () => {
  const { url } = await house.http()
  const { id, decisions } = await json('run', workflow(look, erase))
  expect((await (await fetch(`${url}decisions.json`)).json()) as object).toMatchObject({
    decisions: [{ id: decisions[0].id }],
  })
  expect((await pml('reject', id.slice(0, 30), '--reason', 'not now')).code).toBe(0)
  const run = await eventually(
    () => json('runs', 'show', id),
    ({ status }) => status === 'partial_failure',
  )
  expect(run.decisions[0].answer).toMatchObject({ verdict: 'reject', by: 'command line', reason: 'not now' })
  expect(called()).toEqual(['read'])
}, 180_000)

it('Ctrl-C ends the run: nothing takes it up again', async () => {
  const slow = { id: 'slow', tool: 'ledger:slow_append', arguments: { token: 's', ms: 60_000 } }
  const child = spawn(process.execPath, [pmlBin, 'run', workflow(slow), '--config', house.config], {
    env: house.env,
    stdio: 'ignore',
  })
  const exit = once(child, 'exit')
  await eventually(called, (tools) => tools.length === 1, 60_000)
  child.kill('SIGINT')
  expect(await exit).toEqual([130, null])
  const { runs } = await json('runs')
  expect(runs).toMatchObject([{ status: 'aborted' }])
  await house.http()
  expect((await json('runs')).runs).toMatchObject([{ status: 'aborted' }])
  expect(called()).toEqual(['slow_append'])
}, 180_000)
