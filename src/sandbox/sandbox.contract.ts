import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Json } from '../model/json.js'
import {
  defaultSandboxLimits,
  type Sandbox,
  type SandboxAnswer,
  type SandboxCall,
  type SandboxLimits,
  type SandboxOutcome,
  type SandboxRun,
} from './sandbox.js'

export interface ProgramOptions {
  readonly arguments?: { readonly [key: string]: Json }
  readonly seed?: string
  readonly startedAt?: number
  readonly limits?: Partial<SandboxLimits>
  readonly signal?: AbortSignal
  call?(request: SandboxCall): Promise<SandboxAnswer>
}

/** Small enough to be reached within a test. */
export const smallLimits: SandboxLimits = {
  ...defaultSandboxLimits,
  wallMs: 5_000,
  heapMb: 64,
  memoryMb: 128,
}

/** A program with everything left out that a test does not care about; calls are answered with what they asked. */
export function runIn(sandbox: Sandbox, javascript: string, options: ProgramOptions = {}): SandboxRun {
  const { startedAt = 1_000, call = async (request) => ({ value: { ...request }, at: startedAt }) } = options
  return sandbox.run(
    { javascript, arguments: options.arguments ?? {}, seed: options.seed ?? 'seed', startedAt, depth: 0 },
    {
      call,
      limits: { ...smallLimits, ...options.limits },
      signal: options.signal ?? new AbortController().signal,
    },
  )
}

/** What every sandbox promises to code that means well. */
export function sandboxContract(name: string, open: () => Sandbox): void {
  describe(`${name}, as a sandbox`, () => {
    let sandbox: Sandbox
    beforeAll(() => {
      sandbox = open()
    })
    afterAll(() => sandbox.close())

    const run = (javascript: string, options?: ProgramOptions): Promise<SandboxOutcome> =>
      runIn(sandbox, javascript, options).result
    const valueFrom = async (javascript: string, options?: ProgramOptions): Promise<Json | undefined> => {
      const { error, value } = await run(javascript, options)
      expect(error).toBeUndefined()
      return value
    }
    const codeFrom = async (javascript: string, options?: ProgramOptions): Promise<string | undefined> =>
      (await run(javascript, options)).error?.code

    test('gives what the code returns, as data', async () => {
      expect(await valueFrom('return { a: [1, "x", null, true], b: undefined }')).toEqual({
        a: [1, 'x', null, true],
      })
      expect(await valueFrom('return')).toBe(null)
      expect(await valueFrom('return [undefined, NaN]')).toEqual([null, null])
    })

    test('dates, sets, maps and typed arrays have a form as data', async () => {
      const value = await valueFrom(`return [
        new Date(0), new Set([1, 2]), new Map([['a', 1]]), new Map([[1, 'a']]), new Uint8Array([7]), /x/g, new RangeError('r')
      ]`)
      expect(value).toEqual([
        '1970-01-01T00:00:00.000Z',
        [1, 2],
        { a: 1 },
        [[1, 'a']],
        [7],
        '/x/g',
        { name: 'RangeError', message: 'r' },
      ])
    })

    test.each([
      ['a bigint', 'return { n: 5n }', 'The value.n is a bigint'],
      ['a function', 'return [() => 1]', 'The value[0] is a function'],
      ['a circle', 'const a = {}; a.b = { a }; return a', 'contains itself'],
      ['a promise inside', 'return { p: Promise.resolve(1) }', 'await it'],
      ['endless depth', 'let a = 1; for (let i = 0; i < 1000; i++) a = [a]; return a', '200 levels'],
    ])('%s is no value, and the error says where', async (_, javascript, words) => {
      const { error } = await run(javascript)
      expect(error).toMatchObject({ code: 'CODE_VALUE', message: expect.stringContaining(words) })
    })

    test('the arguments are there, and cannot be changed', async () => {
      expect(await valueFrom('return args.list[1]', { arguments: { list: [1, 2] } })).toBe(2)
      expect(await codeFrom('args.list.push(3)', { arguments: { list: [1] } })).toBe('CODE_FAILED')
    })

    test('the code may use each name for something of its own', async () => {
      expect(
        await valueFrom('const args = 1, tools = 2; let console = 3; return args + tools + console'),
      ).toBe(6)
    })

    test('tools are called by each form of their names', async () => {
      const names = await valueFrom(`return (await Promise.all([
        tools.filesystem.read_file({ path: 'a' }), tools['server:tool']({}), tools.server__tool(), tools.server['odd name']({}),
        tools.api.call({}), tools.x.constructor({}), capabilities.summarise({ n: 1 }), capabilities['any name']()
      ])).map(({ kind, name }) => kind + ' ' + name)`)
      expect(names).toEqual([
        'tool filesystem:read_file',
        'tool server:tool',
        'tool server__tool',
        'tool server:odd name',
        'tool api:call',
        'tool x:constructor',
        'capability summarise',
        'capability any name',
      ])
    })

    test('a call gives its arguments as they are, and gets its value', async () => {
      const value = await valueFrom(
        'return (await tools.a.b({ x: [1, { y: "é\\n" }], u: undefined })).arguments',
      )
      expect(value).toEqual({ x: [1, { y: 'é\n' }] })
    })

    test('a call takes one object', async () => {
      expect(await run('await tools.a.b("text")')).toMatchObject({
        error: { code: 'CODE_FAILED', message: expect.stringContaining('takes one object') },
      })
      expect(await codeFrom('await tools.a.b({ f() {} })')).toBe('CODE_VALUE')
    })

    test('to wait for the names themselves hangs nowhere', async () => {
      const value = await valueFrom(
        'return [typeof (await tools), typeof (await tools.x), typeof (await tools.x.y), typeof (await capabilities)]',
      )
      expect(value).toEqual(['object', 'function', 'function', 'object'])
    })

    test('an error of a call is one that the code can catch', async () => {
      const call = async (): Promise<SandboxAnswer> => ({
        error: { code: 'TOOL_NOT_FOUND', message: 'No tool', hint: 'Look' },
        at: 0,
      })
      const caught =
        'try { await tools.a.b() } catch (e) { return [e instanceof Error, e.code, e.message, e.hint] }'
      expect(await valueFrom(caught, { call })).toEqual([true, 'TOOL_NOT_FOUND', 'No tool', 'Look'])
      expect(await run('const x = 1\n\nawait tools.a.b()', { call })).toMatchObject({
        error: { code: 'CODE_FAILED', message: 'Line 3: CallError TOOL_NOT_FOUND: No tool', hint: 'Look' },
        line: 3,
      })
    })

    test('calls that are made together run together', async () => {
      let atOnce = 0
      let most = 0
      const call = async (): Promise<SandboxAnswer> => {
        most = Math.max(most, ++atOnce)
        await new Promise((resolve) => setTimeout(resolve, 100))
        atOnce -= 1
        return { value: 1, at: 0 }
      }
      const javascript = 'return (await Promise.all(Array.from({ length: 20 }, () => tools.a.b()))).length'
      expect(await valueFrom(javascript, { call })).toBe(20)
      expect(most).toBe(20)
    })

    test('answers reach the calls they belong to, in any order, however large', async () => {
      const call = async ({ arguments: { n } }: SandboxCall): Promise<SandboxAnswer> => {
        await new Promise((resolve) => setTimeout(resolve, 50 - Number(n) * 10))
        return { value: `${n}${'ä'.repeat(500_000)}`, at: 0 }
      }
      const javascript =
        'return (await Promise.all([0, 1, 2, 3, 4].map((n) => tools.a.b({ n })))).map((t) => t[0] + t.length)'
      expect(await valueFrom(javascript, { call })).toEqual([
        '0500001',
        '1500001',
        '2500001',
        '3500001',
        '4500001',
      ])
    })

    test('the console is kept, by level', async () => {
      const { logs } = await run(
        'console.log("a", { b: [1] }); console.warn("w"); console.error(new Error("e").message)',
      )
      expect(logs).toEqual([
        { level: 'log', text: 'a { b: [ 1 ] }' },
        { level: 'warn', text: 'w' },
        { level: 'error', text: 'e' },
      ])
    })

    test('a long console is cut with a mark, which is no error', async () => {
      const { value, logs } = await run(
        'for (let i = 0; i < 1000; i++) console.log("x".repeat(99)); return 1',
        {
          limits: { logChars: 1_000 },
        },
      )
      expect(value).toBe(1)
      expect(logs.slice(0, -1).reduce((sum, { text }) => sum + text.length, 0)).toBeLessThanOrEqual(1_000)
      expect(logs.at(-1)).toEqual({ level: 'warn', text: '(cut: the console keeps 1000 characters)' })
    })

    test('what fails where nobody waits is told in the console', async () => {
      const { value, logs } = await run(
        'Promise.reject(new Error("lost")); setTimeout(() => { throw new Error("late") }, 1); await new Promise((r) => setTimeout(r, 30)); return 1',
      )
      expect(value).toBe(1)
      expect(logs.map(({ text }) => text).join()).toMatch(/lost.*late/)
    })

    test('an error has its name, its words and the line as it was written', async () => {
      expect(
        await run('const a = 1\nconst f = () => {\n  throw new TypeError("wrong")\n}\nf()'),
      ).toMatchObject({
        error: { code: 'CODE_FAILED', message: 'Line 3: TypeError: wrong' },
        line: 3,
      })
      expect(await run('throw "text"')).toMatchObject({
        error: { code: 'CODE_FAILED', message: 'threw "text"' },
      })
    })

    test.each([
      ['does not parse', 'const a = 1\nconst b = = 2', 2],
      ['closes the function around it', 'return 1 } ; async function x() {', 1],
      ['imports', '\nawait import("node:fs")', 2],
      ['imports statically', 'import fs from "node:fs"', 1],
      ['asks where it is', 'return import.meta.url', 1],
    ])('code that %s is refused, with the line', async (_, javascript, line) => {
      expect(await run(javascript)).toMatchObject({ error: { code: 'CODE_SYNTAX' }, line })
    })

    test('chance is drawn from the seed', async () => {
      const javascript =
        'return [Math.random(), Math.random(), crypto.randomUUID(), [...crypto.getRandomValues(new Uint8Array(4))]]'
      const first = (await valueFrom(javascript, { seed: 'a' })) as readonly [number, number, string]
      expect(await valueFrom(javascript, { seed: 'a' })).toEqual(first)
      expect(await valueFrom(javascript, { seed: 'b' })).not.toEqual(first)
      expect(first[0]).toBeGreaterThan(0)
      expect(first[0]).toBeLessThan(1)
      expect(first[2]).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
    })

    test('time moves with the answers alone', async () => {
      let at = 10_000
      const call = async (): Promise<SandboxAnswer> => {
        at += 500
        return { value: null, at }
      }
      const javascript = `
        const times = [Date.now(), new Date().getTime(), performance.now(), +new (class extends Date {})(), new Date().constructor.now()]
        await new Promise((r) => setTimeout(r, 20))
        times.push(Date.now())
        await tools.a.b()
        times.push(Date.now(), performance.now(), new Intl.DateTimeFormat('en', { timeZone: 'UTC', second: 'numeric' }).format())
        return times`
      expect(await valueFrom(javascript, { call, startedAt: 10_000 })).toEqual([
        10_000,
        10_000,
        0,
        10_000,
        10_000,
        10_000,
        10_500,
        500,
        '10',
      ])
    })

    test('timers run in real time, and can be stopped', async () => {
      const javascript = `
        let ticks = 0
        const every = setInterval(() => ticks++, 5)
        const never = setTimeout(() => { ticks = -100 }, 20)
        clearTimeout(never)
        await new Promise((r) => setTimeout(r, 60, 'x'))
        clearInterval(every)
        return ticks > 2`
      expect(await valueFrom(javascript)).toBe(true)
    })

    test('what is common is there', async () => {
      const javascript = `
        const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode('a'))
        return [new URL('http://a/b?c=1').searchParams.get('c'), atob(btoa('x')), structuredClone({ a: 1 }).a, new Uint8Array(digest)[0],
          new Intl.NumberFormat('en').format(1234.5), (() => {}) instanceof Function]`
      expect(await valueFrom(javascript)).toEqual(['1', 'x', 1, 202, '1,234.5', true])
    })

    test('one run leaves nothing to the next', async () => {
      await run('globalThis.left = 1; Array.prototype.left = 1; Object.prototype.left = 1; return 1')
      expect(await valueFrom('return [typeof globalThis.left, typeof [].left, typeof {}.left]')).toEqual([
        'undefined',
        'undefined',
        'undefined',
      ])
    })

    test.each([
      ['endless loops', 'for (;;) {}', { wallMs: 300 }, 'CODE_TIMEOUT'],
      ['endless waits', 'await new Promise(() => {})', { wallMs: 300 }, 'CODE_TIMEOUT'],
      ['objects', 'const a = []; for (;;) a.push(new Array(1000).fill(1.5))', {}, 'CODE_MEMORY'],
      ['buffers', 'const a = []; for (;;) a.push(new Uint8Array(1e7).fill(1))', {}, 'CODE_MEMORY'],
      ['calls', 'for (;;) await tools.a.b()', { calls: 10 }, 'CODE_CALLS'],
      [
        'calls whose errors are caught',
        'for (;;) try { await tools.a.b() } catch {}',
        { calls: 10 },
        'CODE_CALLS',
      ],
      ['values', 'return "x".repeat(2000)', { valueChars: 1_000 }, 'CODE_OUTPUT'],
      ['arguments', 'await tools.a.b({ x: "x".repeat(2000) })', { callChars: 1_000 }, 'CODE_OUTPUT'],
    ])('%s have a limit with an error of its own', async (_, javascript, limits, code) => {
      expect(await codeFrom(javascript, { limits })).toBe(code)
    })

    test('what calls are given has a limit for all that wait together', async () => {
      const javascript =
        'await Promise.all(Array.from({ length: 20 }, () => tools.a.b({ x: "x".repeat(5000) })))'
      const limits = { callChars: 6_000 }
      expect(await codeFrom(javascript, { limits, call: () => new Promise(() => {}) })).toBe('CODE_OUTPUT')
      const inTurn = 'for (let i = 0; i < 20; i++) await tools.a.b({ x: "x".repeat(5000) }); return 1'
      expect(await valueFrom(inTurn, { limits })).toBe(1)
    })

    test('as many calls as the limit are made', async () => {
      const javascript = 'for (let i = 0; i < 10; i++) await tools.a.b(); return 1'
      expect(await valueFrom(javascript, { limits: { calls: 10 } })).toBe(1)
    })

    test('a cancelled run ends at once', async () => {
      const stop = new AbortController()
      setTimeout(() => stop.abort(), 200)
      expect(await codeFrom('await new Promise(() => {})', { signal: stop.signal })).toBe('CODE_ABORTED')
      expect(await codeFrom('return 1', { signal: AbortSignal.abort() })).toBe('CODE_ABORTED')
    })

    test('time that is held does not count', async () => {
      let running: SandboxRun | undefined
      const call = async (): Promise<SandboxAnswer> => {
        const releases = [running!.hold(), running!.hold()]
        await new Promise((resolve) => setTimeout(resolve, 1_200))
        for (const release of releases) release()
        return { value: 'decided', at: 0 }
      }
      running = runIn(sandbox, 'return await tools.a.b()', { call, limits: { wallMs: 600 } })
      expect(await running.result).toMatchObject({ value: 'decided' })
    })

    test('time goes on once nobody holds it any more', async () => {
      let running: SandboxRun | undefined
      const call = async (): Promise<SandboxAnswer> => {
        const release = running!.hold()
        await new Promise((resolve) => setTimeout(resolve, 300))
        release()
        release()
        return { value: null, at: 0 }
      }
      running = runIn(sandbox, 'await tools.a.b(); await new Promise(() => {})', {
        call,
        limits: { wallMs: 600 },
      })
      expect((await running.result).error?.code).toBe('CODE_TIMEOUT')
    })

    test.each([
      ['in one go', 'for (;;) {}'],
      ['in pieces', 'for (;;) { for (let i = 0; i < 3e7; i++); await new Promise((r) => setTimeout(r, 0)) }'],
    ])('who computes %s while time is held has it counted', async (_, javascript) => {
      let running: SandboxRun | undefined
      const call = (): Promise<SandboxAnswer> => {
        running!.hold()
        return new Promise(() => {})
      }
      const startedAt = performance.now()
      running = runIn(sandbox, `tools.a.b(); await new Promise((r) => setTimeout(r, 50)); ${javascript}`, {
        call,
        limits: { wallMs: 600 },
      })
      expect((await running.result).error?.code).toBe('CODE_TIMEOUT')
      expect(performance.now() - startedAt).toBeLessThan(20_000)
    })
  })
}
