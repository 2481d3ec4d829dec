/** What comes next is run before it is asked for: with real servers, as an agent calls them one by one. */
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '@modelcontextprotocol/client'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type House, npmServer, openHouse, textOf } from './harness.js'

/** Less than an agent takes to read an answer and to write the next call. */
const thinkMs = 400
const names = ['alpha', 'beta', 'delta', 'gamma', 'kappa', 'sigma', 'zeta'].map((name) => `${name}.md`)

let directory: string
let house: House

beforeEach(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), 'pml-ahead-')))
  for (const name of names) writeFileSync(join(directory, name), `This is ${name}.`)
})
afterEach(async () => {
  await house.close()
  rmSync(directory, { recursive: true, force: true })
})

const open = (speculation: unknown = 'on'): House =>
  openHouse(
    {
      files: npmServer('filesystem', directory),
      memory: { ...npmServer('memory'), env: { MEMORY_FILE_PATH: join(directory, '.memory.jsonl') } },
    },
    { exposure: 'proxy', speculation, approvals: { tools: { 'files:write_file': 'allow' } } },
  )

/** Nothing is foretold before the store is open, which a first start has to make. */
async function storeOpened(): Promise<void> {
  expect((await house.pml('speculation', '--json')).code).toBe(0)
}

function caller(client: Client) {
  return async (name: string, args: Record<string, unknown>) => {
    await sleep(thinkMs)
    const begin = performance.now()
    const result = await client.callTool({ name, arguments: args })
    return { ms: performance.now() - begin, text: textOf(result) }
  }
}

/** A call that is answered without doing anything. */
async function idleCall(client: Client): Promise<number> {
  await sleep(thinkMs)
  const begin = performance.now()
  await client.callTool({ name: 'control_workflow', arguments: { action: 'read', handle: 'none' } })
  return performance.now() - begin
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!
}

async function figures() {
  const { all, refusals, recent } = JSON.parse((await house.pml('speculation', '--json')).stdout)
  return { all, refusals, recent } as {
    all: Record<'started' | 'hits' | 'joined' | 'wasted' | 'predicted' | 'savedMs', number>
    refusals: Record<string, number>
    recent: readonly { tool: string; decision: string; outcome?: string; arguments: { path?: string } }[]
  }
}

// Milliseconds on shared cores are now and then somebody else's.
test('files of a directory are there before they are asked for, from the third on; a write ends that', {
  retry: 1,
  timeout: 90_000,
}, async () => {
  house = open()
  const { client } = await house.stdio()
  const call = caller(client)
  const read = (name: string) => call('files__read_text_file', { path: join(directory, name) })
  await storeOpened()

  await call('files__list_directory', { path: directory })
  const reads: Awaited<ReturnType<typeof read>>[] = []
  const idles: number[] = []
  for (const name of names) {
    reads.push(await read(name))
    idles.push(await idleCall(client))
  }

  expect(reads.map(({ text }) => text)).toEqual(names.map((name) => `This is ${name}.`))
  const { all, recent } = await figures()
  expect(all.hits, JSON.stringify([reads.map(({ ms }) => ms), recent])).toBeGreaterThanOrEqual(
    names.length - 2,
  )
  // The way through the client and two pipes, after as long a rest, takes as long as a call that does nothing.
  const overs = reads.map(({ ms }, at) => ms - idles[at]!)
  expect(median(overs.slice(2)), JSON.stringify(overs)).toBeLessThan(2)

  // What was read ahead before a write is not given after it, be it by our own hand.
  await call('files__list_directory', { path: directory })
  await read(names[0]!)
  await read(names[1]!)
  const written = await call('files__write_file', {
    path: join(directory, names[2]!),
    content: 'Another text.',
  })
  expect(written.text).toContain('Successfully wrote')
  expect((await read(names[2]!)).text).toBe('Another text.')
})

test('a program takes what was run ahead, too', async () => {
  house = open()
  const { client } = await house.stdio()
  const call = caller(client)
  await storeOpened()
  await call('files__list_directory', { path: directory })
  for (const name of names.slice(0, 4)) await call('files__read_text_file', { path: join(directory, name) })
  const before = (await figures()).all.hits
  const path = JSON.stringify(join(directory, names[4]!))
  const code = `return (await tools.files.read_text_file({ path: ${path} })).content`
  expect((await call('execute_code', { code })).text).toContain(`This is ${names[4]}.`)
  expect((await figures()).all.hits).toBe(before + 1)
}, 60_000)

test('off, and in shadow, nothing is called that nobody asked for', async () => {
  house = open('shadow')
  const { client } = await house.stdio()
  const call = caller(client)
  await storeOpened()
  await call('files__list_directory', { path: directory })
  for (const name of names.slice(0, 6)) await call('files__read_text_file', { path: join(directory, name) })
  const { all } = await figures()
  expect(all).toMatchObject({ started: 0, hits: 0, joined: 0 })
  expect(all.predicted).toBeGreaterThan(0)
  const metrics = await house.pml('speculation')
  expect(metrics.stdout).toContain('shadow')
}, 60_000)
