import { describe, expect, it } from 'vitest'
import type { DataflowTemplate } from '../../../model/dataflow-template.js'
import type { Json, JsonObject } from '../../../model/json.js'
import { seededRandom } from '../../../model/seeded-random.js'
import type { ToolId } from '../../../model/tool.js'
import type { CallPredictor, CallPredictorOptions, SessionCall } from './call-predictor.js'
import { plainPriors } from './call-priors.js'
import { createCallPredictor } from './create-call-predictor.js'

const tool = (name: string): ToolId => `fs:${name}` as ToolId
let clock = Date.UTC(2026, 0, 15, 12)

function open(
  tools: Readonly<Record<string, number>>,
  rest: Partial<CallPredictorOptions> = {},
): CallPredictor {
  return createCallPredictor({
    nextTools: () => Object.entries(tools).map(([name, p]) => ({ tool: tool(name), p, signals: {} })),
    prior: plainPriors,
    redact: (text) => text,
    ...rest,
  })
}

function call(session: string, name: string, args: JsonObject, result?: Json): SessionCall {
  clock += 1_000
  return { session, tool: tool(name), arguments: args, ...(result !== undefined && { result }), at: clock }
}

const names = ['intro.md', 'usage.md', 'api.md', 'faq.md', 'end.md']
const listing = names.map((name) => `[FILE] ${name}`).join('\n')

/** Lists a directory and reads so many of its files, looking ahead before each call. */
function readFiles(predictor: CallPredictor, session: string, directory: string, count: number): void {
  predictor.predict(session, 3)
  predictor.observe(call(session, 'list', { path: directory }, listing))
  for (const name of names.slice(0, count)) {
    predictor.predict(session, 3)
    predictor.observe(call(session, 'read', { path: `${directory}/${name}` }, `# ${name}`))
  }
}

describe('within one session', () => {
  it('after the second file the third is foretold, far before all others', () => {
    const predictor = open({ read: 0.8 })
    readFiles(predictor, 'a', '/docs', 2)
    const [first, second] = predictor.predict('a', 3)
    expect(first).toMatchObject({ arguments: { path: '/docs/api.md' }, weakest: 'join' })
    expect(first!.next).toBeGreaterThan(0.8 * 0.5)
    expect(first!.next).toBeGreaterThan(2 * (second?.next ?? 0))
  })

  it('after each later file the next one is foretold, and more surely', () => {
    const predictor = open({ read: 0.8 })
    readFiles(predictor, 'a', '/docs', 2)
    const before = predictor.predict('a', 1)[0]!
    for (const [at, name] of names.slice(2).entries()) {
      const [first] = predictor.predict('a', 1)
      expect(first!.arguments).toEqual({ path: `/docs/${name}` })
      if (at === 2) expect(first!.p).toBeGreaterThan(before.p)
      predictor.observe(call('a', 'read', { path: `/docs/${name}` }, '#'))
    }
  })

  it('a read that failed changes nothing about what comes next', () => {
    const predictor = open({ read: 0.8 })
    readFiles(predictor, 'a', '/docs', 2)
    predictor.observe(call('a', 'read', { path: '/docs/api.md' }))
    expect(predictor.predict('a', 1)[0]!.arguments).toEqual({ path: '/docs/faq.md' })
  })
})

it('the next session knows from the first file on', () => {
  const predictor = open({ read: 0.8 })
  readFiles(predictor, 'a', '/docs', 5)
  readFiles(predictor, 'b', '/other', 0)
  expect(predictor.predict('b', 1)[0]!.arguments).toEqual({ path: '/other/intro.md' })
})

it('likelier tools come first, and p is one of three calls while next is of one', () => {
  const predictor = open({ list: 0.1, read: 0.7 })
  for (const session of ['a', 'b', 'c']) readFiles(predictor, session, `/${session}`, 5)
  readFiles(predictor, 'd', '/d', 2)
  const predicted = predictor.predict('d', 10)
  expect(predicted[0]!.tool).toBe(tool('read'))
  for (const one of predicted) {
    expect(one.p).toBeGreaterThan(0)
    expect(one.p).toBeLessThan(1)
    expect(one.toolP).toBeGreaterThanOrEqual(one.p)
    expect(Object.keys(one.sources)).toEqual(Object.keys(one.arguments))
  }
  expect(predicted.map(({ next }) => next)).toEqual(predicted.map(({ next }) => next).sort((a, b) => b - a))
  expect(predicted.reduce((sum, { next }) => sum + next, 0)).toBeLessThanOrEqual(0.8)
})

it('predictions that come true are believed more, those that never do less', () => {
  const p = (isRight: boolean): number => {
    const predictor = open({ read: 0.5 })
    for (let at = 0; at < 30; at++) {
      const session = `s${at}`
      predictor.observe(call(session, 'list', { path: `/d${at}` }, listing))
      predictor.predict(session, 3)
      for (let step = 0; step < 3; step++)
        predictor.observe(
          isRight && step === 0
            ? call(session, 'read', { path: `/d${at}/intro.md` }, '#')
            : call(session, 'think', { about: `${at} ${step}` }, '#'),
        )
    }
    // The one who was always wrong has to have seen a read to propose any.
    predictor.count(call('x', 'list', { path: '/x' }, listing))
    predictor.count(call('x', 'read', { path: '/x/intro.md' }, '#'))
    predictor.follow(call('y', 'list', { path: '/y' }, listing))
    return predictor.predict('y', 1)[0]!.p
  }
  expect(p(true)).toBeGreaterThan(p(false) + 0.1)
})

it('follow goes on with the session and teaches nothing; count leaves weights as they are', () => {
  const predictor = open({ read: 0.5 })
  const before = JSON.stringify(predictor.state())
  predictor.follow(call('a', 'read', { path: '/a' }, 'x'))
  expect(predictor.changedTemplates()).toEqual({ changed: [], removed: [] })
  expect(predictor.predict('a', 3)).toEqual([])
  predictor.count(call('a', 'read', { path: '/a' }, 'x'))
  expect(predictor.changedTemplates().changed).not.toEqual([])
  expect(JSON.stringify(predictor.state())).toBe(before)
})

describe('values stay with their session', () => {
  it('what a result or a request held is neither proposed elsewhere nor kept', () => {
    const predictor = open({ read: 0.5, list: 0.3 })
    for (const session of ['a', 'b']) readFiles(predictor, session, `/${session}`, 5)
    predictor.hear('mine', 'my account is private_4711, look at /home/me/diary.md')
    predictor.observe(call('mine', 'list', { path: '/m' }, '[FILE] unread-secret.md\n[FILE] intro.md'))
    predictor.observe(call('mine', 'read', { path: '/m/intro.md' }, 'the password is swordfish-99'))
    predictor.observe(call('yours', 'list', { path: '/y' }, listing))
    const kept = [
      JSON.stringify(predictor.state()),
      JSON.stringify(predictor.changedTemplates()),
      JSON.stringify(predictor.predict('yours', 50)),
      JSON.stringify(predictor.predict('new', 50)),
    ]
    for (const value of ['private_4711', 'diary', 'unread-secret', 'swordfish'])
      for (const text of kept) expect(text).not.toContain(value)
    expect(JSON.stringify(predictor.predict('mine', 50))).toContain('unread-secret')
  })

  it('weights hold no value at all', () => {
    const predictor = open({ read: 0.5 })
    readFiles(predictor, 'a', '/docs', 5)
    expect(JSON.stringify(predictor.state())).not.toContain('docs')
    expect(JSON.stringify(predictor.state())).not.toContain('.md')
  })

  it('a session that has ended is forgotten', () => {
    const predictor = open({ read: 0.5 })
    readFiles(predictor, 'a', '/docs', 2)
    predictor.observe(call('b', 'list', { path: '/b' }, listing))
    predictor.endSession('b')
    expect(JSON.stringify(predictor.predict('b', 50))).not.toContain('/b/')
  })
})

describe('state', () => {
  it('state and templates, loaded elsewhere, foretell the same', () => {
    const predictor = open({ read: 0.6, list: 0.3 })
    for (const session of ['a', 'b', 'c']) readFiles(predictor, session, `/${session}`, 5)
    const other = open({ read: 0.6, list: 0.3 })
    other.load(JSON.parse(JSON.stringify(predictor.state())) as Json)
    other.loadTemplates(
      JSON.parse(JSON.stringify(predictor.changedTemplates().changed)) as DataflowTemplate[],
    )
    const rounded = (one: CallPredictor) => {
      one.follow({ session: 'new', tool: tool('list'), arguments: { path: '/n' }, result: listing, at: 1 })
      return one
        .predict('new', 5)
        .map(({ arguments: args, next, p, weakest }) => [args, next.toFixed(9), p.toFixed(9), weakest])
    }
    expect(rounded(other)).toEqual(rounded(predictor))
  })

  it.each<readonly [string, (state: { arguments: number[]; rating: Record<string, Json> }) => Json]>([
    ['nothing', () => null],
    ['an empty object', () => ({})],
    ['another version', (state) => ({ ...state, version: 2 })],
    ['a weight too few', (state) => ({ ...state, version: 1, arguments: state.arguments.slice(1) })],
    [
      'a weight that is none',
      (state) => ({ ...state, version: 1, arguments: state.arguments.map(() => 'x') }),
    ],
    [
      'a weight out of all bounds',
      (state) => ({ ...state, version: 1, arguments: state.arguments.map(() => 1e300) }),
    ],
    [
      'half of a rating',
      (state) => ({ ...state, version: 1, rating: { ...state.rating, cells: [['a', -1, 2]] } }),
    ],
  ])('%s is no state, and changes nothing', (_, damage) => {
    const predictor = open({ read: 0.5 })
    readFiles(predictor, 'a', '/docs', 5)
    const before = JSON.stringify(predictor.state())
    predictor.load(damage(JSON.parse(before)))
    expect(JSON.stringify(predictor.state())).toBe(before)
  })
})

it('weights are fitted to samples and taken over by another one', () => {
  const predictor = open({ read: 0.5 })
  for (const session of ['a', 'b', 'c']) readFiles(predictor, session, `/${session}`, 5)
  const samples = ['x', 'y', 'z'].flatMap((session) => {
    predictor.follow(call(session, 'list', { path: `/${session}` }, listing))
    return names.flatMap((name) => {
      const next = call(session, 'read', { path: `/${session}/${name}` }, '#')
      const sample = predictor.fitting.argumentSample(next)
      predictor.follow(next)
      return sample ?? []
    })
  })
  expect(samples).toHaveLength(15)
  predictor.fitting.fitArguments(samples)
  predictor.fitting.fitRating(
    predictor.fitting.rated('z').map((rated, at) => ({ call: rated, used: at === 0 })),
  )
  const other = open({ read: 0.5 })
  other.fitting.takeWeights(predictor.fitting)
  expect(other.fitting.weights).toEqual(predictor.fitting.weights)
  expect(other.fitting.weights.arguments.join).not.toBe(open({ read: 0.5 }).fitting.weights.arguments.join)
})

describe('whatever comes', () => {
  const hostile: readonly JsonObject[] = [
    JSON.parse('{"__proto__": {"polluted": true}, "constructor": "c", "toString": 7}') as JsonObject,
    { '': 'empty', ' ': ' ' },
    { deep: nested(2_000) },
    { text: '\ud800\u0000日本語🙂\u202e', list: Array.from({ length: 10_000 }, (_, at) => at) },
    { huge: 'x'.repeat(5_000_000) },
    { number: -0, big: 1e308, none: null },
    Object.fromEntries(Array.from({ length: 2_000 }, (_, at) => [`k${at}`, at])),
    {},
  ]

  it('calls that nobody expects break nothing, and pollute nothing', () => {
    const predictor = open({ odd: 0.5, read: 0.5 })
    const random = seededRandom(7)
    const start = performance.now()
    for (let at = 0; at < 60; at++) {
      const args = hostile[Math.floor(random() * hostile.length)]!
      const result = hostile[Math.floor(random() * hostile.length)]!
      predictor.hear('a', JSON.stringify(args).slice(0, 100_000))
      predictor.predict('a', 5)
      predictor.observe(call('a', 'odd', args, random() < 0.3 ? JSON.stringify(result) : result))
    }
    // Most of it is the 5 MB of text.
    expect(performance.now() - start).toBeLessThan(20_000)
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
    for (const one of predictor.predict('a', 20)) expect(one.next).toBeGreaterThanOrEqual(0)
    expect(() => JSON.stringify(predictor.changedTemplates())).not.toThrow()
  })

  it('a tool whose likelihood is none is left out', () => {
    const predictor = open({ read: Number.NaN, list: -3, stat: 0, think: 0.5 })
    predictor.observe(call('a', 'think', { about: 'x' }, '#'))
    readFiles(predictor, 'a', '/docs', 3)
    expect(predictor.predict('a', 20).map((one) => one.tool)).toEqual([tool('think')])
  })

  it('the 200 sessions that were used last are known', () => {
    const predictor = open({ read: 0.5 })
    readFiles(predictor, 'a', '/docs', 5)
    for (let at = 0; at < 300; at++) predictor.observe(call(`s${at}`, 'list', { path: `/d${at}` }, listing))
    expect(JSON.stringify(predictor.predict('s299', 9))).toContain('/d299/')
    expect(JSON.stringify(predictor.predict('s50', 9))).not.toContain('/d50/')
  })
})

/** As deep as a gateway lets through. */
function nested(depth: number): Json {
  let value: Json = 'bottom'
  for (let at = 0; at < depth; at++) value = [value]
  return value
}
