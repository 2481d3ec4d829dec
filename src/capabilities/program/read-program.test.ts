import { describe, expect, it } from 'vitest'
import { PmlError } from '../../errors.js'
import type { Json } from '../../model/json.js'
import { parseReference } from '../../model/reference.js'
import { runSample, samplePrograms } from './programs.contract.js'
import { readProgram } from './read-program.js'

describe('readProgram', () => {
  it.each(
    samplePrograms.map((sample) => [sample.title, sample] as const),
  )('finds the calls of: %s', async (_, sample) => {
    const program = readProgram(sample.code)
    expect(program.calls.map(({ name }) => name ?? '?')).toEqual(sample.calls)
    expect(program.javascript.split('\n').length).toBe(sample.code.split('\n').length)
    const ran = await runSample(program.javascript, sample.arguments ?? {})
    expect(ran.error).toBeUndefined()
    const names = new Set(sample.calls)
    if (!names.has('?')) for (const call of ran.calls) expect(names).toContain(call.split(' ')[0])
  })

  it.each(
    samplePrograms.map((sample) => [sample.title, sample] as const),
  )('says only what is so when it runs: %s', async (_, sample) => {
    const program = readProgram(sample.code)
    const ran = await runSample(program.javascript, sample.arguments ?? {})
    for (const call of program.calls) {
      if (call.name === undefined) continue
      const made = ran.calls.filter((one) => one.startsWith(`${call.name} `))
      // Where a name stands once in the code, what is known of its argument holds for each time it was called.
      if (program.calls.filter(({ name }) => name === call.name).length > 1) continue
      if (call.inside === undefined) expect(made).toHaveLength(1)
      for (const one of made)
        expect(fits(call.arguments, JSON.parse(one.slice(one.indexOf(' ') + 1)))).toBe(true)
    }
  })

  it('has edges that lead nowhere but forward, between calls that are there', () => {
    for (const { code } of samplePrograms) {
      const { calls, edges } = readProgram(code)
      const ids = new Set(calls.map(({ id }) => id))
      for (const { from, to } of edges) {
        expect(ids).toContain(from)
        expect(ids).toContain(to)
        expect(from).not.toBe(to)
      }
      expect(isAcyclic(edges)).toBe(true)
    }
  })

  it('writes references as the rest of the house reads them', () => {
    for (const { code } of samplePrograms) {
      for (const { arguments: given } of readProgram(code).calls) {
        for (const text of referencesIn(given)) expect(parseReference(text).task).toMatch(/^c\d+$/)
      }
    }
  })
})

describe('what comes from where', () => {
  const argumentsOf = (code: string) => readProgram(code).calls.map((call) => call.arguments)

  it('follows fields, elements and patterns to the call that gave them', () => {
    expect(
      argumentsOf(`
        const a = await tools.s.one({})
        const { items: [first], 'odd key': odd } = a
        await tools.s.two({ x: a.items[0].id, y: first.name, z: odd, all: a })`),
    ).toEqual([
      {},
      {
        x: { $from: 'c1.items[0].id' },
        y: { $from: 'c1.items[0].name' },
        z: { $from: 'c1["odd key"]' },
        all: { $from: 'c1' },
      },
    ])
  })

  it('knows the element of a list that is gone through', () => {
    const element = { id: { $from: 'c1.items[*].id' } }
    expect(
      argumentsOf(
        `const a = await tools.s.list({}); for (const x of a.items) await tools.s.get({ id: x.id })`,
      ),
    ).toEqual([{}, element])
    expect(
      argumentsOf(`const a = await tools.s.list({}); a.items.forEach(({ id }) => tools.s.get({ id }))`),
    ).toEqual([{}, element])
    expect(
      argumentsOf(`const { items } = await tools.s.list({})
        const ids = items.filter((x) => x.ok).map((x) => x.id)
        return Promise.all(ids.map((id) => tools.s.get({ id })))`),
    ).toEqual([{}, element])
  })

  it('knows what a list of calls gave', () => {
    expect(
      argumentsOf(`
        const all = await Promise.all(args.ids.map((id) => tools.s.get({ id })))
        await tools.s.save({ first: all[0].name, names: all.map((x) => x.name), all })`)[1],
    ).toEqual({ first: { $from: 'c1[0].name' }, names: { $from: 'c1[*].name' }, all: { $from: 'c1' } })
  })

  it('carries constants, and what is put together from them', () => {
    expect(
      argumentsOf(
        'const base = "/srv"; const name = `${base}/a`; return tools.s.get({ path: name + ".txt", n: -1, ok: true, none: null, list: [1, "b"] })',
      ),
    ).toEqual([{ path: '/srv/a.txt', n: -1, ok: true, none: null, list: [1, 'b'] }])
  })

  it('says where an argument of the program goes', () => {
    expect(
      argumentsOf(
        'const { a, b = 2 } = args; return tools.s.get({ a, b, c: args.deep.path[0], d: args.x ?? 1 })',
      ),
    ).toEqual([{ a: { $arg: 'a' }, b: { $arg: 'b' }, c: { $arg: 'deep.path[0]' }, d: { $arg: 'x' } }])
  })

  it('keeps what stands behind a spread, and says that there is more', () => {
    expect(argumentsOf('return tools.s.get({ a: 1, ...rest(), b: 2 })')).toEqual([
      { b: 2, $unknown: '...rest()' },
    ])
    expect(argumentsOf('const base = { a: 1 }; return tools.s.get({ ...base, b: 2 })')).toEqual([
      { a: 1, b: 2 },
    ])
  })

  it.each([
    ['let x = "a"; x = other(); return tools.s.get({ x })', { x: { $unknown: 'x' } }],
    ['const o = { a: 1 }; o.b = 2; return tools.s.get(o)', { $unknown: 'o' }],
    ['const o = { a: 1 }; Object.assign(o, other()); return tools.s.get(o)', { $unknown: 'o' }],
    ['const o = { a: 1 }; const p = o; p.a = 2; return tools.s.get(o)', { $unknown: 'o' }],
    ['const l = [1]; l.push(2); return tools.s.get({ l })', { l: { $unknown: 'l' } }],
    ['return tools.s.get({ [key()]: 1 })', { $unknown: '[key()]: 1' }],
    [
      'const v = Math.random() > 0.5 ? 1 : 2; return tools.s.get({ v })',
      { v: { $unknown: 'Math.random() > 0.5 ? 1 : 2' } },
    ],
    [
      'async function walk(id) { const r = await tools.s.get({ id }); for (const c of r.items) await walk(c.id) }\nawait walk("root")',
      { id: { $unknown: 'id' } },
    ],
    [
      'const f = (id) => tools.s.get({ id }); const m = new Map([[1, f]]); m.get(1)(2); await f(3)',
      { id: { $unknown: 'id' } },
    ],
    [
      `const f = (id) => tools.s.get({ id }); ${'f(1);'.repeat(20)} f(2)`,
      { $unknown: 'tools.s.get({ id })' },
    ],
    ['var x = 1; var x = 2; return tools.s.get({ x })', { x: { $unknown: 'x' } }],
  ])('does not claim to know what may change: %s', (code, expected) => {
    expect(argumentsOf(code)).toEqual([expected])
  })

  it('follows a function to where it is called', () => {
    const { calls, edges } = readProgram(`
      const load = async (id) => (await tools.s.get({ id })).data
      const list = await tools.s.list({})
      const one = await load(list.first)
      await tools.s.save({ one })`)
    expect(calls.map((call) => [call.name, call.arguments, call.inside])).toEqual([
      ['s:get', { id: { $from: 'c2.first' } }, undefined],
      ['s:list', {}, undefined],
      ['s:save', { one: { $from: 'c1.data' } }, undefined],
    ])
    expect(edges).toEqual([
      { from: 'c2', to: 'c1', type: 'data' },
      { from: 'c1', to: 'c3', type: 'data' },
    ])
  })

  it('says nothing of a parameter that is different each time', () => {
    const [call] = readProgram(`
      const load = (id) => tools.s.get({ id, full: true })
      return [await load(1), await load(2)]`).calls
    expect(call).toMatchObject({ arguments: { id: { $unknown: 'id' }, full: true }, inside: 'function' })
  })
})

describe('what stands in what', () => {
  const insideOf = (code: string) => readProgram(code).calls.map(({ inside }) => inside)

  it.each([
    ['await tools.a.b({})', undefined],
    ['try { await tools.a.b({}) } catch {}', undefined],
    ['await (async () => tools.a.b({}))()', undefined],
    ['for (const x of args.xs) await tools.a.b({ x })', 'loop'],
    ['while (go()) await tools.a.b({})', 'loop'],
    ['args.xs.forEach((x) => tools.a.b({ x }))', 'loop'],
    ['Array.from({ length: 3 }, (_, i) => tools.a.b({ i }))', 'loop'],
    ['if (args.x) await tools.a.b({})', 'branch'],
    ['args.x && await tools.a.b({})', 'branch'],
    ['args.x ? await tools.a.b({}) : 1', 'branch'],
    ['try { f() } catch { await tools.a.b({}) }', 'branch'],
    ['if (args.x) return 1\nawait tools.a.b({})', 'branch'],
    ['switch (args.x) { case 1: await tools.a.b({}) }', 'branch'],
    ['for (const x of args.xs) { if (x) await tools.a.b({}) }', 'branch'],
    ['if (args.x) { for (const x of args.xs) await tools.a.b({}) }', 'loop'],
    ['other(() => tools.a.b({}))', 'function'],
    ['function never() { return tools.a.b({}) }', 'function'],
  ])('%s', (code, inside) => {
    expect(insideOf(code)).toEqual([inside])
  })

  it('says which calls go side by side', () => {
    const { calls, edges } = readProgram(`
      const first = await tools.a.first({})
      const late = tools.a.late({})
      const [x, y] = await Promise.all([tools.a.x({ id: first.id }), (async () => { await tools.a.y({}); return tools.a.z({}) })(), late])
      await tools.a.last({ x })`)
    expect(calls.map(({ name, together }) => [name, together])).toEqual([
      ['a:first', undefined],
      ['a:late', 'g1'],
      ['a:x', 'g1'],
      ['a:y', 'g1'],
      ['a:z', 'g1'],
      ['a:last', undefined],
    ])
    expect(edges.map(({ from, to, type }) => `${from}>${to} ${type}`).sort()).toEqual([
      'c1>c2 order',
      'c1>c3 data',
      'c1>c4 order',
      'c2>c6 order',
      'c3>c6 data',
      'c4>c5 order',
      'c5>c6 order',
    ])
  })

  it('does not take what is awaited one by one for side by side', () => {
    const { calls } = readProgram('return Promise.all([await tools.a.x({}), await tools.a.y({})])')
    expect(calls.map(({ together }) => together)).toEqual([undefined, undefined])
    const [list, each] = readProgram(
      'return Promise.all((await tools.a.list({})).items.map((id) => tools.a.get({ id })))',
    ).calls
    expect([list!.together, each!.together]).toEqual([undefined, 'g1'])
  })
})

describe('names of tools', () => {
  it.each([
    ['tools.fs.read({})', 'fs:read'],
    ['tools["fs:read"]({})', 'fs:read'],
    ['tools["fs__read"]({})', 'fs__read'],
    ["tools.fs['read']({})", 'fs:read'],
    ['tools?.fs?.read?.({})', 'fs:read'],
    ['const t = tools["fs"]["read"]; t({})', 'fs:read'],
    ['const { fs: { read: r } } = tools; r({})', 'fs:read'],
    ['const n = "read"; tools.fs[n]({})', 'fs:read'],
    ['tools.fs[args.n]({})', undefined],
    ['tools[args.n]({})', undefined],
    ['capabilities["tidy-up"]({})', 'tidy-up'],
    ['const { tidy } = capabilities; tidy({})', 'tidy'],
  ])('%s', (code, name) => {
    expect(readProgram(code).calls.map((call) => call.name)).toEqual([name])
  })

  it('leaves variables alone that are only called like them', () => {
    expect(readProgram('const f = (tools) => tools.a.b({}); f({ a: { b() {} } })').calls).toEqual([])
  })
})

describe('the value', () => {
  it.each([
    ['1 + 1', 2],
    ['const a = 1\na', 1],
    ['({ a: 1 })', { a: 1 }],
    ['await Promise.resolve(3)', 3],
    ['"text"', 'text'],
    ['const a = [1]; a.map((x) => x + 1);;', [2]],
    ['if (true) { 5 } else { 6 }', undefined],
    ['for (const x of [1]) x', undefined],
    ['function f() { return 1 }', undefined],
    ['return 4', 4],
    ['let x: number = 5 as any\nx! satisfies number', 5],
    ['const f = <T,>(x: T): T => x\nf<number>(7)', 7],
    ['const a = 3, b = 2, c = 1\nreturn [a < b, b > c]', [false, true]],
    ['type A = string\n;[1, 2].length', 2],
  ])('%s', async (code, value) => {
    expect((await runSample(readProgram(code).javascript, {})).value).toEqual(value)
  })

  it('writes an enum out on its line', async () => {
    const program = readProgram(
      'const é = "ü"; enum A {\n  B = 1, // one\n  C,\n}\nconst enum D { E = "x" }\nreturn [é, A.C, A[1], D.E]',
    )
    expect(program.javascript.split('\n')).toHaveLength(6)
    expect((await runSample(program.javascript, {})).value).toEqual(['ü', 2, 'B', 'x'])
  })
})

describe('what is refused', () => {
  it.each([
    ['}; steal(); async () => {', 'Line 1, column 1: This "}" closes nothing that the code opened.'],
    [
      'const a: number = 1\n}; steal(); async () => {',
      'Line 2, column 1: This "}" closes nothing that the code opened.',
    ],
    ['const a = 1\nimport fs from "fs"', 'Line 2, column 1: import and export are not available in code.'],
    ['export const a = 1', 'Line 1, column 1: import and export are not available in code.'],
    [
      'const a: string = 1\nexport default a',
      'Line 2, column 1: import and export are not available in code.',
    ],
    ['const a = ', 'Line 1, column 11: The code ends before it is complete.'],
    ['const x: string = (\n', 'Line 2, column 1: The code ends before it is complete.'],
    ['#!/usr/bin/env node', 'Line 1, column '],
    ['const a = 1; const a = 2', 'Line 1, column 20: '],
    ['function f() { await x }', 'Line 1, column '],
    ['namespace A { export const b = 1 }', 'Line 1, column 1: '],
    ['break', 'Line 1, column 1: '],
  ])('%s', (code, message) => {
    const error = caught(() => readProgram(code))
    expect(error).toMatchObject({ code: 'CODE_SYNTAX' })
    expect(error!.message).toContain(message)
    expect(error!.hint).not.toBe('')
  })

  it('says what to use instead of an import', () => {
    expect(caught(() => readProgram('import a from "b"'))!.hint).toContain('tools.')
  })

  it('refuses more than 100,000 characters', () => {
    expect(caught(() => readProgram(`'${'x'.repeat(100_000)}'`))).toMatchObject({ code: 'CODE_SYNTAX' })
    expect(readProgram(`'${'x'.repeat(99_000)}'`).calls).toEqual([])
  })

  it.each([
    ['('.repeat(90_000)],
    ['['.repeat(90_000)],
    ['!'.repeat(90_000)],
    [`${'a?b:'.repeat(20_000)}c`],
    [`${'1+'.repeat(45_000)}1`],
    [`const x: ${'A<'.repeat(45_000)}`],
    [`let x: number = ${'{a:'.repeat(30_000)}`],
    [`${'if(a)'.repeat(18_000)}b`],
    [`${'async()=>'.repeat(10_000)}b`],
    ['`${'.repeat(30_000)],
  ])('nesting is an error, not a crash (%#)', (code) => {
    expect(caught(() => readProgram(code))).toMatchObject({ code: 'CODE_SYNTAX' })
    expect(readProgram('const a: number = 1; return a').javascript).toContain('return a')
  })
})

describe('how long it takes', () => {
  it.each([
    ['many calls', 'await tools.a.b({ x: 1 })\n'.repeat(3_500)],
    [
      'many at once, twice',
      `const a = await Promise.all([${'tools.a.b({}),'.repeat(3_000)}])\nawait Promise.all([${'tools.a.c(a),'.repeat(3_000)}])`,
    ],
    ['many branches', 'if (x) await tools.a.b({})\n'.repeat(3_500)],
    [
      'one list of many',
      `const l = []\n${'l.push(await tools.a.b({}))\n'.repeat(3_000)}await tools.a.c({ l })`,
    ],
    ['an object used often', `const o = { a: 1 }\n${'tools.a.b(o)\n'.repeat(7_000)}`],
    [
      'functions that call functions',
      `${Array.from({ length: 200 }, (_, i) => `function f${i}() { f${i + 1}(); f${i + 1}(); f${i + 1}() }`).join('\n')}\nfunction f200() { return tools.a.b({}) }\nf0()`,
    ],
  ])('%s', (_, code) => {
    const startedAt = performance.now()
    expect(readProgram(code).calls.length).toBeGreaterThan(0)
    expect(performance.now() - startedAt).toBeLessThan(5_000)
  })
})

function caught(work: () => unknown): PmlError | undefined {
  try {
    work()
    return undefined
  } catch (error) {
    if (error instanceof PmlError) return error
    throw error
  }
}

/** Whether what was said of a value leaves room for what it was. */
function fits(pattern: Json | undefined, value: Json | undefined): boolean {
  if (pattern === null || typeof pattern !== 'object') return pattern === value
  if (Array.isArray(pattern)) {
    return (
      Array.isArray(value) &&
      pattern.length === value.length &&
      pattern.every((item, i) => fits(item, value[i]))
    )
  }
  const { $unknown: more, ...known } = pattern as Record<string, Json>
  if ('$from' in known || '$arg' in known) return true
  if (more !== undefined && Object.keys(known).length === 0) return true
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const there = value as Record<string, Json>
  return (
    Object.entries(known).every(([key, field]) => fits(field, there[key])) &&
    (more !== undefined || Object.keys(there).every((key) => key in known))
  )
}

function referencesIn(value: Json | undefined): readonly string[] {
  if (value === null || typeof value !== 'object') return []
  if ('$from' in value && typeof value.$from === 'string') return [value.$from]
  return Object.values(value).flatMap((item) => referencesIn(item as Json))
}

function isAcyclic(edges: readonly { readonly from: string; readonly to: string }[]): boolean {
  let left = [...edges]
  for (;;) {
    const targets = new Set(left.map(({ to }) => to))
    const next = left.filter(({ from }) => targets.has(from))
    if (next.length === left.length) return left.length === 0
    left = next
  }
}
