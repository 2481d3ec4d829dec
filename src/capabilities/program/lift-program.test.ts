import { describe, expect, it } from 'vitest'
import { isObject, type Json, type JsonObject } from '../../model/json.js'
import { seededRandom } from '../../model/seeded-random.js'
import { bindNames, type Variable } from './bind-names.js'
import { liftProgram } from './lift-program.js'
import { parseProgram } from './parse-program.js'
import { runSample, samplePrograms } from './programs.contract.js'
import { readProgram } from './read-program.js'

const lift = (code: string, given: JsonObject = {}) => liftProgram(readProgram(code), { arguments: given })
const cases = samplePrograms.map((sample) => [sample.title, sample] as const)

describe('liftProgram', () => {
  it.each(cases)('does with its arguments what the program did: %s', async (_, sample) => {
    const given = sample.arguments ?? {}
    const program = readProgram(sample.code)
    const lifted = liftProgram(program, { arguments: given })
    const before = await runSample(program.javascript, given)
    const after = await runSample(readProgram(lifted.code).javascript, lifted.arguments)
    expect(after).toEqual(before)
  })

  it.each(cases)('needs no more than what is required: %s', async (_, sample) => {
    const given = sample.arguments ?? {}
    const program = readProgram(sample.code)
    const lifted = liftProgram(program, { arguments: given })
    const required = new Set((lifted.inputSchema.required as string[] | undefined) ?? [])
    const least = Object.fromEntries(
      Object.entries(lifted.arguments).filter(([name]) => required.has(name) || name in given),
    )
    expect(await runSample(readProgram(lifted.code).javascript, least)).toEqual(
      await runSample(program.javascript, given),
    )
  })

  it.each(cases)('has nothing to lift the second time: %s', (_, sample) => {
    const lifted = lift(sample.code, sample.arguments)
    const again = lift(lifted.code, lifted.arguments)
    expect(again).toMatchObject({
      structure: lifted.structure,
      arguments: lifted.arguments,
      code: lifted.code,
    })
    expect(again.inputSchema.properties).toMatchObject(
      Object.fromEntries(Object.keys(lifted.inputSchema.properties as JsonObject).map((name) => [name, {}])),
    )
  })

  it.each(cases)('is one procedure whatever the literals are: %s', async (_, sample) => {
    const given = sample.arguments ?? {}
    const random = seededRandom(sample.title.length)
    const lifted = lift(sample.code, given)
    const other = withOtherLiterals(lifted.code, sample.code, lifted.arguments, random)
    const twin = lift(other, given)
    expect(twin.structure).toBe(lifted.structure)
    // What the first program became does, with what was lifted from the second, what the second does.
    expect(await runSample(readProgram(lifted.code).javascript, twin.arguments)).toEqual(
      await runSample(readProgram(other).javascript, given),
    )
  })

  it.each(cases)('is one procedure whatever its variables are called: %s', (_, sample) => {
    const { code, stripped } = renamed(sample.code)
    const one = lift(stripped, sample.arguments)
    const other = lift(code, sample.arguments)
    expect(other).toMatchObject({
      structure: one.structure,
      arguments: one.arguments,
      inputSchema: one.inputSchema,
    })
  })

  it.each(cases)('says the schema that its arguments fit: %s', (_, sample) => {
    const { inputSchema, arguments: given } = lift(sample.code, sample.arguments)
    const properties = inputSchema.properties as Record<string, JsonObject>
    for (const [name, value] of Object.entries(given)) {
      expect(properties).toHaveProperty(name)
      const { type } = properties[name]!
      if (type !== undefined) expect(Array.isArray(value) ? 'array' : typeof value).toBe(type)
    }
  })
})

describe('what is lifted', () => {
  it('names parameters after the properties they go to', () => {
    expect(
      lift(`
        const file = '/a'
        const a = await tools.fs.read({ path: file, head: 5 })
        await tools.gh.create({ issue: { title: 'T', body: a.text, labels: ['x'] } })
        await tools.fs.write({ path: '/b', 'dry-run': true })`),
    ).toMatchObject({
      arguments: { path: '/a', head: 5, title: 'T', labels: ['x'], path2: '/b', dryRun: true },
      inputSchema: {
        type: 'object',
        required: ['path', 'head', 'title', 'labels', 'path2', 'dryRun'],
        properties: {
          path: { type: 'string', description: 'path of fs:read' },
          head: { type: 'number' },
          title: { type: 'string', description: 'issue.title of gh:create' },
          labels: { type: 'array', items: { type: 'string' } },
          dryRun: { type: 'boolean' },
        },
        additionalProperties: false,
      },
    })
  })

  it('makes one parameter of a list that is gone through', () => {
    const { code, arguments: given } = lift(`
      const cities = ['Rome', 'Oslo']
      return Promise.all(cities.map((c) => tools.w.today({ city: c })))`)
    expect(given).toEqual({ cities: ['Rome', 'Oslo'] })
    expect(code).toContain('const cities = args.cities')
  })

  it('gives other literals a default', () => {
    const { code, inputSchema } = lift(`
      const r = await tools.s.list({})
      return r.items.filter((x) => x.state === 'open').slice(0, 5).map((x) => x.name).join('; ')`)
    expect(inputSchema).toMatchObject({
      properties: { state: { default: 'open' }, slice: { default: 5 }, join: { default: '; ' } },
    })
    expect(inputSchema.required).toBeUndefined()
    expect(code).toContain('(args.state ?? "open")')
  })

  it.each([
    ['names of fields and tools', `const r = await tools.s["x"]({}); return r["field"]`],
    ['cases', `switch (args.x) { case 'a': return tools.s.a({}) }`],
    ['counters and flags', `let n = 0; let ok = false; for (let i = 1; i < n; i++) { ok = true }`],
    ['kinds of types', `return typeof args.x === 'string'`],
    ['patterns', `return args.x.replace(/a/g, '')`],
    ['what is logged', `console.log('here'); await tools.s.a({})`],
    ['states of promises', `return args.x.filter((r) => r.status === 'fulfilled')`],
    ['directives', `'use strict'; return tools.s.a({})`],
    ['null', `return tools.s.a({ x: null })`],
    ['tagged templates', 'return String.raw`a${1}b`'],
  ])('leaves %s', (_, code) => {
    expect(lift(code).code).toBe(code)
  })

  it('never keeps a secret or a huge text as a default', () => {
    const token = `ghp_${'a1'.repeat(18)}`
    const huge = 'x'.repeat(2_001)
    const {
      code,
      inputSchema,
      arguments: given,
    } = lift(`
      const token = '${token}'
      const headers = { authorization: 'Bearer ' + token }
      const key = other('${token}')
      return [headers, key, other('${huge}')]`)
    expect(code).not.toContain(token)
    expect(code).not.toContain(huge)
    expect(JSON.stringify(inputSchema)).not.toContain(token)
    expect(Object.values(given)).toContain(token)
  })

  it('keeps the parameters that the program has already', () => {
    const { inputSchema, arguments: given } = lift(
      `const { path, limit = 5 } = args
       return tools.s.get({ path, limit, sort: args.sort ?? 'name', deep: args.deep, lang: 'en' })`,
      { path: '/a', deep: true },
    )
    expect(given).toEqual({ path: '/a', limit: 5, sort: 'name', deep: true, lang: 'en' })
    expect(inputSchema).toMatchObject({
      required: ['path', 'deep', 'lang'],
      properties: {
        path: { type: 'string', description: 'path of s:get' },
        limit: { type: 'number', default: 5 },
        sort: { type: 'string', default: 'name' },
        deep: { type: 'boolean' },
        lang: { type: 'string' },
      },
    })
  })

  it('takes nothing for a default that is not one everywhere', async () => {
    const code = `if (args.n) await tools.s.log({}); return tools.s.get({ a: args.n ?? 10, b: args.m ?? 1, c: args.m ?? 2 })`
    const { arguments: given, code: lifted } = lift(code)
    expect(given).toEqual({})
    expect(lifted).toBe(code)
    expect(lift(code).structure).not.toBe(lift(code.replace('10', '11')).structure)
  })

  it('adds nothing to arguments that are passed on as a whole', () => {
    const code = `await tools.s.log({ text: 'x' }); return tools.s.get(args)`
    expect(lift(code, { q: 1 })).toMatchObject({
      code,
      arguments: { q: 1 },
      inputSchema: { properties: { q: { type: 'number' } }, additionalProperties: true },
    })
  })

  it('reads nothing from a variable that happens to be called args', async () => {
    const code = `const f = (...args) => tools.s.get({ x: 'y', n: args.length }); return f()`
    expect(lift(code).code).toBe(code)
  })

  it('puts space where a literal had none to need', async () => {
    const { code, arguments: given } = lift(
      `const f = () => {return'abc'}\nreturn tools.s.get({ x: 'a'in{} ? f() : 1 })`,
    )
    expect((await runSample(readProgram(code).javascript, given)).error).toBeUndefined()
  })

  it('lifts what is called on the way to the log', () => {
    expect(
      lift(
        `console.log('file', await tools.fs.read({ path: 'a' }), JSON.stringify(await tools.fs.read({ path: 'b' }), null, 2))`,
      ),
    ).toMatchObject({
      arguments: { path: 'a', path2: 'b' },
    })
  })

  it('keeps types', () => {
    expect(lift(`const path: string = 'a' as string\nreturn tools.fs.read({ path })`).code).toBe(
      `const path: string = args.path as string\nreturn tools.fs.read({ path })`,
    )
  })
})

describe('structure', () => {
  const same = (one: string, other: string) => lift(one).structure === lift(other).structure

  it.each([
    [
      'names',
      `const a = await tools.s.x({ p: 1 }); return a.id`,
      `const b = await tools.s.x({ p: 1 }); return b.id`,
    ],
    ['literals', `return tools.s.x({ p: 'a' })`, `return tools.s.x({ p: 'b' })`],
    ['quotes', `return tools.s.x({ p: 'a' })`, 'return tools.s.x({ "p": `a` })'],
    ['layout and comments', `return tools.s.x({p:1})`, `// why\nreturn tools.s.x({\n  p: 1, /* one */\n});`],
    [
      'types',
      `const a = await tools.s.x({ p: 1 }); return a`,
      `const a: any = await tools.s.x({ p: 1 } as any); return a!`,
    ],
    ['how a tool is written', `return tools.s.x({ p: 1 })`, `return tools["s:x"]({ p: 1 })`],
    ['the order of properties', `return tools.s.x({ p: 1, q: 'a' })`, `return tools.s.x({ q: 'a', p: 1 })`],
    ['shorthand', `const p = 'a'; return tools.s.x({ p })`, `const z = 'b'; return tools.s.x({ p: z })`],
    ['lengths of lists', `return tools.s.x({ l: ['a'] })`, `return tools.s.x({ l: ['a', 'b', 'c'] })`],
    ['a bare last expression', `await tools.s.x({})`, `return await tools.s.x({})`],
    ['what is logged', `console.log('a'); return tools.s.x({})`, `console.log('b'); return tools.s.x({})`],
    [
      'bounds',
      `return (await tools.s.x({})).items.slice(0, 5)`,
      `return (await tools.s.x({})).items.slice(0, 9)`,
    ],
  ])('is the same whatever %s', (_, one, other) => {
    expect(same(one, other)).toBe(true)
  })

  it.each([
    ['tools', `return tools.s.x({ p: 1 })`, `return tools.s.y({ p: 1 })`],
    ['properties', `return tools.s.x({ p: 1 })`, `return tools.s.x({ q: 1 })`],
    ['kinds', `return tools.s.x({ p: 1 })`, `return tools.s.x({ p: '1' })`],
    ['fields', `return (await tools.s.x({})).a`, `return (await tools.s.x({})).b`],
    [
      'which variable',
      `const a = 1, b = 2; return tools.s.x({ p: a, q: b })`,
      `const a = 1, b = 2; return tools.s.x({ p: b, q: a })`,
    ],
    [
      'waiting',
      `return Promise.all([tools.s.x({}), tools.s.y({})])`,
      `return [await tools.s.x({}), await tools.s.y({})]`,
    ],
    ['which argument', `const { a, b } = args; return a.x(b)`, `const { a, b } = args; return b.x(a)`],
    [
      'defaults that are computed',
      `const { a = f() } = args; return a`,
      `const { a = g() } = args; return a`,
    ],
    ['ways of writing what a tag sees', 'return String.raw`\\x41`', 'return String.raw`A`'],
    ['comparisons that are logged', `console.log(args.a === true)`, `console.log(args.a === false)`],
    ['operators', `return args.a > args.b`, `return args.a < args.b`],
    ['negation', `return tools.s.x({ p: null })`, `return tools.s.x({ p: [] })`],
    ['cases', `switch (args.x) { case 'a': return 1 }`, `switch (args.x) { case 'b': return 1 }`],
    [
      'the order of calls in an argument',
      `return tools.s.x({ p: await f(), q: await g() })`,
      `return tools.s.x({ q: await g(), p: await f() })`,
    ],
  ])('is another for other %s', (_, one, other) => {
    expect(same(one, other)).toBe(false)
  })

  it('is a hash in hexadecimal, the same for a program that was stored', () => {
    const program = readProgram(`return tools.s.x({ p: 1 })`)
    const { structure } = liftProgram(program)
    expect(structure).toMatch(/^[0-9a-f]{64}$/)
    expect(liftProgram(JSON.parse(JSON.stringify(program))).structure).toBe(structure)
  })
})

function renamed(code: string): { readonly code: string; readonly stripped: string } {
  const { tree, stripped } = parseProgram(code)
  const { variableOf, parentOf } = bindNames(tree)
  const numbers = new Map<Variable, number>()
  let text = stripped
  for (const [id, variable] of [...variableOf].sort(([a], [b]) => b.start - a.start)) {
    if (!numbers.has(variable)) numbers.set(variable, numbers.size)
    const parent = parentOf.get(id)
    const property =
      parent?.type === 'AssignmentPattern' && parent.left === id ? parentOf.get(parent) : parent
    const key = property?.type === 'Property' && property.shorthand ? `${id.name}: ` : ''
    text = `${text.slice(0, id.start)}${key}other_${numbers.get(variable)}${text.slice(id.end)}`
  }
  return { code: text, stripped }
}

/** The lifted program with other literals in place of its parameters. */
function withOtherLiterals(code: string, original: string, all: JsonObject, random: () => number): string {
  let other = code
  for (const [name, value] of Object.entries(all)) {
    if (original.includes(`args.${name}`) || /\} = args\b/.test(original)) continue
    const text = JSON.stringify(another(value, random))
    const read = `args\\.${name}(?![\\w$])`
    other = other
      .replace(
        new RegExp(`\\$\\{${read}(?: \\?\\? "(?:[^"\\\\]|\\\\.)*")?\\}`),
        () => JSON.parse(text) as string,
      )
      .replace(
        new RegExp(`;?\\(${read} \\?\\? (?:"(?:[^"\\\\]|\\\\.)*"|\\[[^\\]]*\\]|[\\d.]+)\\)`),
        () => text,
      )
      .replace(new RegExp(read), () => text)
  }
  return other
}

function another(value: Json, random: () => number): Json {
  if (typeof value === 'string') return `t${Math.floor(random() * 1e6)}`
  if (typeof value === 'number') return 2 + Math.floor(random() * 7)
  if (typeof value === 'boolean') return !value
  if (Array.isArray(value))
    return [...value.map((item) => another(item as Json, random)), ...value.slice(0, 1)]
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([key, field]) => [key, another(field, random)]))
    : value
}

it('what is spoken of twice is one parameter, with what stands behind it left where it is', () => {
  const program = readProgram(`
    const { content } = await tools.files.list({ path: '/data/may' })
    await tools.files.read({ path: '/data/may' + '/' + content })
    return tools.files.read({ path: \`/data/may/\${content}\` })`)
  const lifted = liftProgram(program)
  expect(lifted.arguments).toEqual({ path: '/data/may' })
  expect(lifted.inputSchema.required).toEqual(['path'])
  expect(lifted.code).toContain('`${args.path}/${content}`')
  expect(lifted.code).toContain("args.path + '/' + content")
  const again = liftProgram(readProgram(lifted.code), { arguments: lifted.arguments })
  expect(again.structure).toBe(lifted.structure)
})
