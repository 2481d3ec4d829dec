import { describe, expect, it } from 'vitest'
import { closestNames } from '../../model/closest-name.js'
import type { JsonObject } from '../../model/json.js'
import { checkProgram, type KnownTools } from './check-program.js'
import { samplePrograms } from './programs.contract.js'
import { readProgram } from './read-program.js'

const schemas: Record<string, JsonObject> = {
  'fs:read': {
    type: 'object',
    properties: { path: { type: 'string' }, head: { type: 'integer' }, mode: { enum: ['text', 'bytes'] } },
    required: ['path'],
    additionalProperties: false,
  },
  'gh:create': {
    type: 'object',
    properties: {
      issue: {
        type: 'object',
        properties: { title: { type: 'string' }, labels: { type: 'array', items: { type: 'string' } } },
        required: ['title'],
      },
      state: { type: ['string', 'null'] },
      size: { type: 'number', default: 3 },
      any: { $ref: '#/$defs/x' },
    },
    required: ['issue', 'size'],
  },
  'no:schema': {},
}

const known: KnownTools = {
  isKnown: (name, kind) => kind === 'capability' || name in schemas,
  inputSchemaOf: (name) => schemas[name],
  closest: (name) => closestNames(name, Object.keys(schemas), 2),
}
const check = (code: string) => checkProgram(readProgram(code), known)

describe('checkProgram', () => {
  it.each([
    ['tools.fs.raed({ path: "a" })', 'No tool "fs:raed". Closest: fs:read.'],
    ['tools.fs.read({})', 'fs:read: "path" is missing.'],
    ['tools.fs.read()', 'fs:read: "path" is missing.'],
    ['tools.fs.read({ path: 5 })', 'fs:read: "path" is 5, where string is expected.'],
    ['const p = 5; tools.fs.read({ path: p })', 'fs:read: "path" is 5, where string is expected.'],
    ['tools.fs.read({ path: "a", head: 1.5 })', 'fs:read: "head" is 1.5, where integer is expected.'],
    [
      'tools.fs.read({ path: "a", mode: "x" })',
      'fs:read: "mode" is "x", where one of "text", "bytes" is expected.',
    ],
    ['tools.fs.read({ path: "a", depth: 1 })', 'fs:read: "depth" is no argument. It takes path, head, mode.'],
    ['tools.fs.read("a")', 'fs:read: The argument is "a", where object is expected.'],
    ['tools.gh.create({ issue: {} })', 'gh:create: "issue.title" is missing.'],
    [
      'tools.gh.create({ issue: { title: "x", labels: ["a", 2] } })',
      'gh:create: "issue.labels[1]" is 2, where string is expected.',
    ],
    [
      'tools.gh.create({ issue: { title: "x" }, state: 1 })',
      'gh:create: "state" is 1, where string or null is expected.',
    ],
  ])('%s', (code, message) => {
    expect(check(code).map((problem) => problem.message)).toEqual([message])
  })

  it('says where', () => {
    expect(check('const a: number = 1\n\n  await tools.fs.read({ path: a })')).toEqual([
      { line: 3, column: 9, message: 'fs:read: "path" is 1, where string is expected.' },
    ])
  })

  it.each([
    ['tools.fs.read({ path: other() })'],
    ['tools.fs.read({ ...other() })'],
    ['tools.fs.read({ ...other(), head: 2 })'],
    ['tools.fs.read(other())'],
    ['tools.fs.read(args)'],
    ['tools.fs.read({ path: args.path, mode: args.mode })'],
    ['tools.fs.read({ path: "a", mode: undefined, depth: undefined })'],
    ['tools.fs.read({ [key]: 1 })'],
    ['const o = {}; o.path = "a"; tools.fs.read(o)'],
    ['const o = {}; fill(o); tools.fs.read(o)'],
    ['let p = 5; p = "a"; tools.fs.read({ path: p })'],
    ['const r = await tools.no.schema({ x: 1 }); tools.fs.read({ path: r.a, head: r.b })'],
    ['tools.gh.create({ issue: { title: "x" }, state: null, any: 5 })'],
    ['tools[name]({ x: 1 })'],
    ['tools.no.schema({ x: 1 })'],
    ['capabilities.anything({ x: 1 })'],
    ['for (const p of ["a", "b"]) tools.fs.read({ path: p })'],
    ['const read = (path) => tools.fs.read({ path }); read("a"); read(args.x)'],
    ['for (const o of [{ path: "a" }, { path: "b", head: 2 }]) tools.fs.read(o)'],
    ['const p = args.x ? 1 : "a"; tools.fs.read({ path: p })'],
    ['function f(path = 5) { return tools.fs.read({ path }) }\nf("a")'],
    ['const { path = 5 } = args; tools.fs.read({ path })'],
    ['const t = ["a"]; t[0] = "b"; tools.fs.read({ path: t[0] })'],
    ['const o = { get path() { return "a" } }; tools.fs.read(o)'],
    [
      'const o = { path: 5 }; const change = () => { o.path = "a" }; change(); tools.fs.read({ path: o.path })',
    ],
    ['const base = { path: 5 }; tools.fs.read({ ...base, path: "a" })'],
    ['class A { path = 5 }; tools.fs.read(new A())'],
    ['var p; p ??= "a"; tools.fs.read({ path: p })'],
    ['const o = { deep: {} }; const d = o.deep; d.path = "a"; tools.fs.read(o.deep)'],
    ['const o = { l: [] }; o.l.push("a"); tools.gh.create({ issue: { title: "t", labels: o.l } })'],
    ['const list = [{}]; for (const x of list) x.path = "a"; tools.fs.read(list[0])'],
    ['const list = [{}]; list.forEach((x) => { x.path = "a" }); tools.fs.read(list[0])'],
    ['const o = {}; const all = { o }; all.o.path = "a"; tools.fs.read(o)'],
    ['const o = {}; const all = [o]; all[0].path = "a"; tools.fs.read(o)'],
    ['const o = {}; (() => o)().path = "a"; tools.fs.read(o)'],
    ['const o = {}; const f = () => o; f().path = "a"; tools.fs.read(o)'],
    ['const o = {}; [o].forEach((x) => { x.path = "a" }); tools.fs.read(o)'],
    ['const [o] = [{}]; o.path = "a"; tools.fs.read(o)'],
    ['const { o } = { o: {} }; o.path = "a"; tools.fs.read(o)'],
    ['const f = (o) => { o.path = "a"; return tools.fs.read(o) }; f({})'],
    ['const f = (o) => { o.path = "a" }; const o = {}; f(o); tools.fs.read(o)'],
    ['const o = {}; with_(o); tools.fs.read({ ...o })'],
    ['let o; (o = {}).path = "a"; tools.fs.read(o)'],
    ['const o = {}; const p = args.x ? o : {}; p.path = "a"; tools.fs.read(o)'],
    ['const o = {}; for (o.path of ["a"]) tools.fs.read(o)'],
    ['const o = {}; [o.path] = ["a"]; tools.fs.read(o)'],
    ['const o = {}; ({ path: o.path } = { path: "a" }); tools.fs.read(o)'],
    ['const o = {}; const m = new Map([["k", o]]); m.get("k").path = "a"; tools.fs.read(o)'],
    ['const o = { fill() { this.path = "a" } }; o.fill(); tools.fs.read(o)'],
    ['const o = {}; const { x = o } = {}; x.path = "a"; tools.fs.read(o)'],
    ['const o = {}; function f(x = o) { x.path = "a" }; f(); tools.fs.read(o)'],
    ['const o = {}; const g = function* () { yield o }; for (const x of g()) x.path = "a"; tools.fs.read(o)'],
    ['const o = {}; for (const x of [o]) x.path = "a"; tools.fs.read(o)'],
    ['const o = {}; for (const k of ["path"]) o[k] = "a"; tools.fs.read(o)'],
    ['const o = {}; const s = { ...{ o } }; s.o.path = "a"; tools.fs.read(o)'],
    ['const l = [{}]; const [f] = l; f.path = "a"; tools.fs.read(l[0])'],
    ['const l = [{}]; l.at(0).path = "a"; tools.fs.read(l[0])'],
    ['const l = [{}]; const f = l.find(Boolean); f.path = "a"; tools.fs.read(l[0])'],
    ['const o = { a: {} }; for (const x of Object.values(o)) x.path = "a"; tools.fs.read(o.a)'],
    ['const o = { a: {} }; const c = { ...o }; c.a.path = "a"; tools.fs.read(o.a)'],
    ['const n = NaN; tools.fs.read({ path: "a", head: Number("3") })'],
    ['const x = 5; { const x = "a"; tools.fs.read({ path: x }) }'],
    ['if (false) var p = 5; p = "a"; tools.fs.read({ path: p })'],
  ])('judges nothing that it does not know: %s', (code) => {
    expect(check(code)).toEqual([])
  })

  it('finds nothing wrong with programs that fit', () => {
    const all: KnownTools = {
      isKnown: () => true,
      inputSchemaOf: () => ({ type: 'object' }),
      closest: () => [],
    }
    for (const { code } of samplePrograms) expect(checkProgram(readProgram(code), all)).toEqual([])
  })
})
