import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDenoSandbox } from './create-deno-sandbox.js'
import { findDeno } from './find-deno.js'
import { hiddenModules } from './hidden-modules.js'
import { runIn, sandboxContract, smallLimits } from './sandbox.contract.js'
import { openScratch } from './scratch.js'

let directory: string
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'pml-test-'))
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const sizes = { heapMb: smallLimits.heapMb, memoryMb: smallLimits.memoryMb }

sandboxContract('createDenoSandbox', () => createDenoSandbox({ sizes }))

describe('without Deno', () => {
  test('says so and runs nothing', async () => {
    const sandbox = createDenoSandbox({ denoPath: join(directory, 'nowhere') })
    expect(sandbox.unavailable()).toMatchObject({ code: 'SANDBOX_UNAVAILABLE', hint: expect.any(String) })
    sandbox.warm()
    expect((await runIn(sandbox, 'return 1').result).error?.code).toBe('SANDBOX_UNAVAILABLE')
    await sandbox.close()
  })

  test('a file that cannot be executed is none', async () => {
    const path = join(directory, 'plain-file')
    writeFileSync(path, '')
    const sandbox = createDenoSandbox({ denoPath: path })
    expect(sandbox.unavailable()?.code).toBe('SANDBOX_UNAVAILABLE')
    await sandbox.close()
  })

  test('one that does not start makes this run and the next fail alike', async () => {
    const path = join(directory, 'broken')
    writeFileSync(path, '#!/bin/sh\necho "no such engine" >&2\nexit 3\n')
    chmodSync(path, 0o755)
    const sandbox = createDenoSandbox({ denoPath: path })
    expect(sandbox.unavailable()).toBeUndefined()
    expect((await runIn(sandbox, 'return 1').result).error).toMatchObject({
      code: 'SANDBOX_UNAVAILABLE',
      message: expect.stringContaining('no such engine'),
    })
    expect(sandbox.unavailable()?.code).toBe('SANDBOX_UNAVAILABLE')
    expect((await runIn(sandbox, 'return 1').result).error?.code).toBe('SANDBOX_UNAVAILABLE')
    await sandbox.close()
  })
})

test('every module of Node that Deno has is hidden', () => {
  const script = 'console.log(JSON.stringify((await import("node:module")).builtinModules))'
  const names: string[] = JSON.parse(
    execFileSync(findDeno()!, ['eval', '--no-config', script], { encoding: 'utf8' }),
  )
  expect(names.length).toBeGreaterThan(50)
  const shown = names.filter((name) => !(`node:${name.replace(/^node:/, '')}` in hiddenModules.imports))
  expect(shown).toEqual([])
})

test('a child that was ready and died is replaced without a word', async () => {
  const pids: number[] = []
  const sandbox = createDenoSandbox({ sizes, onChild: (pid) => pids.push(pid) })
  expect((await runIn(sandbox, 'return 1').result).value).toBe(1)
  await until(() => pids.length === 2)
  await new Promise((resolve) => setTimeout(resolve, 500))
  process.kill(pids[1]!, 'SIGKILL')
  await until(() => !isAlive(pids[1]!))
  expect((await runIn(sandbox, 'return 2').result).value).toBe(2)
  await sandbox.close()
})

test('60 runs leave no process, no file and no room taken', async () => {
  const parent = join(directory, 'soak')
  mkdirSync(parent)
  const pids: number[] = []
  const sandbox = createDenoSandbox({ sizes, temporaryDirectory: parent, onChild: (pid) => pids.push(pid) })
  const kinds = [
    'return await tools.a.b({})',
    'throw new Error("x")',
    'console.log("x"); return args',
    'for (;;) {}',
  ]
  for (let i = 0; i < 60; i++) {
    const { error, value } = await runIn(sandbox, kinds[i % 12 === 11 ? 3 : i % 3]!, {
      limits: { wallMs: 200 },
    }).result
    expect(error !== undefined || value !== undefined).toBe(true)
  }
  await until(() => pids.filter(isAlive).length <= 1)
  const [own] = readdirSync(parent)
  await until(() => readdirSync(join(parent, own!)).filter((name) => name.startsWith('deno-')).length <= 1)
  await sandbox.close()
  expect(pids.length).toBeGreaterThanOrEqual(60)
  expect(pids.filter(isAlive)).toEqual([])
  expect(readdirSync(parent)).toEqual([])
})

test('a child ends when the gateway is gone, even while its code computes', async () => {
  const scratch = openScratch(directory)
  const env = { DENO_DIR: scratch.denoDirectory() }
  const child = spawn(findDeno()!, ['run', '--no-prompt', '--no-config', scratch.runner], { env })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  await new Promise((resolve) => child.stdout.once('data', resolve))
  const program = {
    t: 'run',
    javascript: 'for (;;) {}',
    args: {},
    seed: '',
    startedAt: 0,
    limits: smallLimits,
  }
  child.stdin.write(`${JSON.stringify(program)}\n`)
  await new Promise((resolve) => setTimeout(resolve, 200))
  child.stdin.end()
  expect(await ended).toBe(0)
  await scratch.remove()
})

test('what a killed gateway has left on disk is removed by the next', async () => {
  const parent = join(directory, 'killed')
  mkdirSync(parent)
  const sandbox = createDenoSandbox({ sizes, temporaryDirectory: parent })
  expect((await runIn(sandbox, 'return 1').result).value).toBe(1)
  const [own] = readdirSync(parent)
  await sandbox.close()
  // A process that is gone: its number is free again.
  const gone = spawn('true')
  await new Promise((resolve) => gone.once('exit', resolve))
  const left = join(parent, own!.replace(`-${process.pid}-`, `-${gone.pid}-`))
  mkdirSync(join(left, 'deno-1'), { recursive: true })
  const next = createDenoSandbox({ sizes, temporaryDirectory: parent })
  expect((await runIn(next, 'return 1').result).value).toBe(1)
  expect(existsSync(left)).toBe(false)
  await next.close()
})

test('runs at the same time do not wait for one another', async () => {
  const sandbox = createDenoSandbox({ sizes })
  const runs = Array.from(
    { length: 4 },
    (_, i) => runIn(sandbox, `await new Promise((r) => setTimeout(r, 300)); return ${i}`).result,
  )
  expect((await Promise.all(runs)).map(({ value }) => value)).toEqual([0, 1, 2, 3])
  await sandbox.close()
})

test('a call that breaks its promise ends the run alone', async () => {
  const sandbox = createDenoSandbox({ sizes })
  const broken = [
    () => Promise.reject(new Error('broken')),
    () => {
      throw new Error('broken')
    },
  ]
  for (const call of broken) {
    expect((await runIn(sandbox, 'return await tools.a.b()', { call }).result).error?.code).toBe(
      'CODE_CRASHED',
    )
  }
  await sandbox.close()
})

test('closing ends what runs', async () => {
  const sandbox = createDenoSandbox({ sizes })
  const running = runIn(sandbox, 'await new Promise(() => {})').result
  await new Promise((resolve) => setTimeout(resolve, 400))
  await sandbox.close()
  expect((await running).error?.code).toMatch(/CODE_ABORTED|SANDBOX_UNAVAILABLE/)
  expect(sandbox.unavailable()?.code).toBe('SANDBOX_UNAVAILABLE')
})

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

async function until(holds: () => boolean): Promise<void> {
  for (let i = 0; i < 200 && !holds(); i++) await new Promise((resolve) => setTimeout(resolve, 25))
  expect(holds()).toBe(true)
}
