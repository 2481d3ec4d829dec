import { describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../../model/json.js'
import type { ArgumentSource } from '../../../model/predicted-call.js'
import { find, follow, learn, openTemplates, propose, type TestSession } from './test-sessions.contract.js'

/** What was learned, what the session is then, and the one call that was meant. */
interface Lesson {
  readonly learned: readonly TestSession[]
  readonly now: TestSession
  readonly tool: string
  readonly expected: JsonObject
  readonly source: ArgumentSource
}

function check({ learned, now, tool, expected, source }: Lesson): void {
  const templates = openTemplates()
  for (const session of learned) learn(templates, session)
  const [first] = propose(templates, tool, follow(now))
  expect(first?.arguments).toEqual(expected)
  expect(first?.weakest).toBe(source)
  expect(Object.values(first!.sources)).toContain(source)
}

const times = <T>(count: number, make: (at: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, at) => make(at))

describe('every source is learned and proposed', () => {
  it('a constant: the value that it often had', () =>
    check({
      learned: times(5, (at) => ({
        calls: [['s:weather', { units: at === 2 ? 'imperial' : 'metric' }, 'ok']],
      })),
      now: { calls: [] },
      tool: 's:weather',
      expected: { units: 'metric' },
      source: 'constant',
    }))

  it('the same as in the last call of the tool', () =>
    check({
      learned: times(4, (at) => ({
        calls: times(3, () => ['s:status', { job: `job-${at}-x` }, { state: 'busy' }] as const),
      })),
      now: { calls: [['s:status', { job: 'job-new' }, { state: 'busy' }]] },
      tool: 's:status',
      expected: { job: 'job-new' },
      source: 'same',
    }))

  it('the last one and a step: pages', () =>
    check({
      learned: times(3, (at) => ({
        calls: times(4, (page) => ['s:list', { page: at * 100 + page }, {}] as const),
      })),
      now: { calls: [['s:list', { page: 7 }, {}]] },
      tool: 's:list',
      expected: { page: 8 },
      source: 'step',
    }))

  it('the last one and a step: pages that are texts, by their length', () =>
    check({
      learned: times(3, () => ({
        calls: times(4, (at) => ['s:list', { offset: String(at * 20) }, {}] as const),
      })),
      now: { calls: [['s:list', { offset: '160' }, {}]] },
      tool: 's:list',
      expected: { offset: '180' },
      source: 'step',
    }))

  it('the last one and a step: days, over the end of a month', () =>
    check({
      learned: times(3, (at) => ({
        calls: times(4, (day) => ['s:log', { day: `2024-0${at + 1}-1${day}` }, {}] as const),
      })),
      now: { calls: [['s:log', { day: '2024-02-29' }, {}]] },
      tool: 's:log',
      expected: { day: '2024-03-01' },
      source: 'step',
    }))

  it('an argument of an earlier call', () =>
    check({
      learned: times(4, (at) => ({
        calls: [
          ['s:open', { repository: `acme/r${at}` }, 'opened'],
          ['s:issues', { repo: `acme/r${at}` }, 'none'],
        ],
      })),
      now: { calls: [['s:open', { repository: 'acme/new' }, 'opened']] },
      tool: 's:issues',
      expected: { repo: 'acme/new' },
      source: 'argument',
    }))

  const users = (pick: (ids: readonly string[]) => string): readonly TestSession[] =>
    times(4, (at) => {
      const ids = times(4, (n) => `id_${at}${n}${n}${at}`)
      return {
        calls: [
          ['s:search', {}, { hits: ids.map((id) => ({ id })) }],
          ['s:get', { id: pick(ids) }, {}],
        ],
      }
    })
  const now: TestSession = {
    calls: [['s:search', {}, { hits: ['id_901', 'id_902', 'id_903', 'id_904'].map((id) => ({ id })) }]],
  }

  it('a leaf of a result: the first', () =>
    check({
      ...{ learned: users((ids) => ids[0]!), now, tool: 's:get' },
      ...{ expected: { id: 'id_901' }, source: 'result' },
    }))

  it('a leaf of a result: the last', () =>
    check({
      ...{ learned: users((ids) => ids.at(-1)!), now, tool: 's:get' },
      ...{ expected: { id: 'id_904' }, source: 'result' },
    }))

  /** Goes through a list, in this order. */
  const walk = (order: readonly number[], name: string): TestSession => {
    const ids = times(6, (at) => `${name}_${at}00${at}`)
    return {
      calls: [['s:search', {}, { ids }], ...order.map((at) => ['s:get', { id: ids[at]! }, {}] as const)],
    }
  }

  it('a leaf of a result: the next that was not used yet', () =>
    check({
      learned: [walk([1, 0, 2, 3], 'a'), walk([2, 0, 1, 3], 'b'), walk([3, 0, 1, 2], 'c')],
      now: walk([4, 0], 'z'),
      tool: 's:get',
      expected: { id: 'z_1001' },
      source: 'result',
    }))

  it('a leaf of a result: the one after the last that was used', () =>
    check({
      learned: [walk([2, 3, 4, 5], 'a'), walk([3, 4, 5], 'b'), walk([2, 3, 4], 'c')],
      now: walk([3], 'z'),
      tool: 's:get',
      expected: { id: 'z_4004' },
      source: 'result',
    }))

  it('a leaf of a result: the one whose row the request names', () => {
    const session = (name: string, at: number): TestSession => ({
      request: `Where is the order of ${name}?`,
      calls: [
        [
          's:orders',
          {},
          ['Paula', 'Robert', 'Sandra'].map((customer, n) => ({ customer, order: `W-${at}${n}55` })),
        ],
        ...(at < 9
          ? [['s:order', { number: `W-${at}${['Paula', 'Robert', 'Sandra'].indexOf(name)}55` }, {}] as const]
          : []),
      ],
    })
    check({
      learned: [session('Robert', 1), session('Sandra', 2), session('Paula', 3), session('Robert', 4)],
      now: session('Sandra', 9),
      tool: 's:order',
      expected: { number: 'W-9255' },
      source: 'result',
    })
  })

  it('several fields of one row, where each by itself would be of another', () => {
    const dayOf = (at: number, n: number): string => `2024-05-${10 + at + (n === 2 ? 1 : 0)}`
    const flights = (at: number): Json =>
      times(3, (n) => ({ flight: `HAT${at}${n}1`, leg: { date: dayOf(at, n) } }))
    const session = (at: number, used: number): TestSession => ({
      calls: [
        ['s:flights', {}, flights(at)],
        ...times(used, (n) => ['s:seats', { date: dayOf(at, n), number: `HAT${at}${n}1` }, {}] as const),
      ],
    })
    const templates = openTemplates()
    for (const at of [1, 2, 3]) learn(templates, session(at, 3))
    const [first] = propose(templates, 's:seats', follow(session(7, 1)))
    expect(first?.arguments).toEqual({ date: '2024-05-17', number: 'HAT711' })
    expect(Object.values(first!.sources)).toContain('row')
  })

  it('a token of the request, by its shape', () =>
    check({
      learned: ['mia_li_3668', 'raj_sanchez_7340', 'omar_rossi_1241'].map((user) => ({
        request: `I am ${user} and want to change my flight to Boston, ok?`,
        calls: [['s:user', { user_id: user }, {}]],
      })),
      now: { request: 'Hello, my user id is yusuf_hernandez_4785 and I need help.', calls: [] },
      tool: 's:user',
      expected: { user_id: 'yusuf_hernandez_4785' },
      source: 'request',
    }))

  it('a day of the request as people say it, in the year that days of the argument had', () =>
    check({
      learned: times(4, (at) => ({
        request: `Flights for May 1${at}, please`,
        calls: [['s:flights', { date: `2024-05-1${at}` }, {}]],
      })),
      now: { request: 'And what is there on the 20th of June?', calls: [] },
      tool: 's:flights',
      expected: { date: '2024-06-20' },
      source: 'request',
    }))

  it('a directory and an entry of its listing', () => {
    const listing = (names: readonly string[]) =>
      ['[DIR] old', ...names.map((name) => `[FILE] ${name}`)].join('\n')
    const session = (directory: string, names: readonly string[], read: number): TestSession => ({
      calls: [
        ['fs:list', { path: directory }, listing(names)],
        ...names.slice(0, read).map((name) => ['fs:read', { path: `${directory}/${name}` }, 'text'] as const),
      ],
    })
    check({
      learned: [session('/a', ['x.md', 'y.md', 'z.md'], 3), session('/b/c', ['one.txt', 'two.txt'], 2)],
      now: session('/srv/docs', ['intro.md', 'more.md', 'end.md'], 1),
      tool: 'fs:read',
      expected: { path: '/srv/docs/more.md' },
      source: 'join',
    })
  })

  it('all that a list holds, for an argument that is a list', () => {
    const session = (names: readonly string[], isAsked: boolean): TestSession => ({
      calls: [
        ['kg:search', {}, { entities: names.map((name) => ({ name })) }],
        ...(isAsked ? [['kg:open', { names }, {}] as const] : []),
      ],
    })
    check({
      learned: [session(['Ann Lee', 'Bo'], true), session(['Cy', 'Dee', 'Eve'], true)],
      now: session(['Flo', 'Gus'], false),
      tool: 'kg:open',
      expected: { names: ['Flo', 'Gus'] },
      source: 'result',
    })
  })

  it('all entries of a directory, for an argument that is a list of paths', () => {
    const session = (directory: string, names: readonly string[], isAsked: boolean): TestSession => ({
      calls: [
        ['fs:list', { path: directory }, names.map((name) => `[FILE] ${name}`).join('\n')],
        ...(isAsked
          ? [['fs:read_all', { paths: names.map((name) => `${directory}/${name}`) }, {}] as const]
          : []),
      ],
    })
    check({
      learned: [session('/a', ['x.md', 'y.md'], true), session('/b', ['k.md', 'l.md', 'm.md'], true)],
      now: session('/c', ['new.md', 'newer.md'], false),
      tool: 'fs:read_all',
      expected: { paths: ['/c/new.md', '/c/newer.md'] },
      source: 'join',
    })
  })

  it('no argument at all', () => {
    const templates = openTemplates()
    learn(templates, { calls: [['s:ping', {}, 'pong']] })
    const [first] = propose(templates, 's:ping', follow({ calls: [] }))
    expect(first).toMatchObject({ arguments: {}, sources: {}, weakest: 'none' })
  })
})

describe('results that are texts', () => {
  it.each<readonly [string, (id: string) => string]>([
    ['JSON in a text', (id) => JSON.stringify({ order: { id } })],
    ['an id in prose', (id) => `I found it.\nThe ticket ${id} was opened by Ann.`],
    ['a field of a list', (id) => `Name: Ann\nTicket: ${id}\nState: open`],
    ['a table with lines', (id) => `| ticket | state |\n|---|---|\n| ${id} | open |`],
    ['a table with tabs', (id) => `ticket\tstate\n${id}\topen`],
    ['a list with dashes', (id) => `Found:\n- ${id}\n- NONE`],
  ])('%s is found', (_, result) => {
    check({
      learned: times(4, (at) => ({
        calls: [
          ['s:find', {}, result(`PR-10${at}`)],
          ['s:show', { id: `PR-10${at}` }, 'shown'],
        ],
      })),
      now: { calls: [['s:find', {}, result('PR-999')]] },
      tool: 's:show',
      expected: { id: 'PR-999' },
      source: 'result',
    })
  })

  it.each([
    ['/srv/data/new.csv', (path: string) => `Wrote the report to ${path}.`],
    ['https://example.org/a?b=9', (url: string) => `See ${url}, it is all there.`],
    ['ann@example.org', (mail: string) => `Ask <${mail}>!`],
  ])('a path, an address: %s', (value, result) => {
    const others = times(4, (at) => value.replace(/\w+$/, `x${at}`))
    check({
      learned: others.map((other) => ({
        calls: [
          ['s:make', {}, result(other)],
          ['s:read', { from: other }, 'ok'],
        ],
      })),
      now: { calls: [['s:make', {}, result(value)]] },
      tool: 's:read',
      expected: { from: value },
      source: 'result',
    })
  })
})

describe('values as the argument takes them', () => {
  const sessions = (result: (n: number) => Json, given: (n: number) => Json): readonly TestSession[] =>
    [4711, 4712, 4713].map((n) => ({
      calls: [
        ['s:find', {}, result(n)],
        ['s:get', { id: given(n) }, {}],
      ],
    }))

  it('a number that stands in a text is proposed as a number', () =>
    check({
      learned: sessions(
        (n) => `Found no. ${n} for you`,
        (n) => n,
      ),
      now: { calls: [['s:find', {}, 'Found no. 9182 for you']] },
      tool: 's:get',
      expected: { id: 9182 },
      source: 'result',
    }))

  it('a number of a result is proposed as a text where texts were given', () =>
    check({
      learned: sessions((n) => ({ n }), String),
      now: { calls: [['s:find', {}, { n: 9182 }]] },
      tool: 's:get',
      expected: { id: '9182' },
      source: 'result',
    }))

  it('a number of the request is proposed as a number', () =>
    check({
      learned: [4711, 4712, 4713].map((n) => ({
        request: `Show ticket ${n} now`,
        calls: [['s:get', { id: n }, {}]],
      })),
      now: { request: 'Show ticket 9182 now', calls: [] },
      tool: 's:get',
      expected: { id: 9182 },
      source: 'request',
    }))

  it('after the client has changed from texts to numbers, numbers are proposed', () => {
    const templates = openTemplates()
    learn(templates, { calls: [['s:get', { id: '42' }, {}]] })
    learn(templates, { calls: [['s:get', { id: 42 }, {}]] })
    expect(propose(templates, 's:get', follow({ calls: [] }))[0]?.arguments).toEqual({ id: 42 })
  })

  it('a number with zeros before it stays what it is', () => {
    const templates = openTemplates()
    for (const session of sessions(
      (n) => ({ n }),
      (n) => n,
    ))
      learn(templates, session)
    const proposed = propose(templates, 's:get', follow({ calls: [['s:find', {}, { n: '007' }]] }))
    expect(find(proposed, { id: '007' })).toBeDefined()
  })
})

it('a call that failed gives nothing, and what the one before gave stays with its own directory', () => {
  const templates = openTemplates()
  const listing = '[FILE] a.md\n[FILE] b.md'
  for (const directory of ['/x', '/y'])
    learn(templates, {
      calls: [
        ['fs:list', { path: directory }, listing],
        ['fs:read', { path: `${directory}/a.md` }, 't'],
        ['fs:read', { path: `${directory}/b.md` }, 't'],
      ],
    })
  const session = follow({
    calls: [
      ['fs:list', { path: '/real' }, listing],
      ['fs:list', { path: '/gone' }],
    ],
  })
  const proposed = propose(templates, 'fs:read', session)
  expect(find(proposed, { path: '/real/a.md' })).toBeDefined()
  expect(find(proposed, { path: '/gone/a.md' })).toBeUndefined()
})

it('arguments that are named as what every object has are like any other', () => {
  const row = (at: number) => ({ constructor: `c-${at}00`, toString: `t-${at}00` })
  const templates = openTemplates()
  for (const at of [1, 2, 3])
    learn(templates, {
      calls: [
        ['s:find', {}, JSON.stringify([row(at)])],
        ['s:get', row(at), {}],
      ],
    })
  const [first] = propose(templates, 's:get', follow({ calls: [['s:find', {}, JSON.stringify([row(9)])]] }))
  expect(first?.arguments).toEqual(row(9))
})

it('of several arguments that are given seldom and often, the usual ones are proposed first', () => {
  const templates = openTemplates()
  for (let at = 0; at < 6; at++)
    learn(templates, { calls: [['s:list', at === 0 ? { a: 'x', b: 'y' } : { a: 'x' }, {}]] })
  const proposed = propose(templates, 's:list', follow({ calls: [] }))
  expect(templates.argumentSets('s:list' as never)[0]?.names).toEqual(['a'])
  expect(proposed.map((one) => one.arguments)).toContainEqual({ a: 'x', b: 'y' })
})
