import { describe, expect, it } from 'vitest'
import { readIntent } from '../read/read-intent.js'
import type { PairHistory } from './pair-history.js'
import type { Field } from './schema-fields.js'
import { shapeTools, type ToolSketch } from './shape-tools.contract.js'
import { type Pair, weighPairs } from './weigh-pairs.js'

const text = { type: 'string' }
const find: ToolSketch = {
  id: 's:find_flight',
  takes: { city: text },
  gives: { type: 'object', properties: { flight_code: text } },
}
const book: ToolSketch = { id: 's:book_flight', takes: { flight_code: text }, gives: text }
const silent: PairHistory = { direction: () => 0, path: () => 0, count: () => 0, base: 0, runs: () => [] }

interface Given {
  readonly clauses?: readonly number[]
  readonly filled?: readonly string[]
  readonly history?: Partial<PairHistory>
  readonly links?: readonly { readonly from: number; readonly to: number }[]
}

async function weigh(
  request: string,
  sketches: readonly ToolSketch[],
  given: Given = {},
): Promise<readonly Pair[]> {
  const { clauses = sketches.map((_, at) => at), filled = [], history = {}, links = [] } = given
  const intent = readIntent(request)
  const shapes = await shapeTools(...sketches)
  return weighPairs({
    intent,
    shapes,
    places: clauses.map((clause) => ({
      clause,
      at: 0,
      score: 1,
      chances: intent.clauses.map((_, at) => (at === clause ? 1 : 0)),
    })),
    filled: shapes.map(({ inputs }) => new Set<Field>(inputs.filter(({ name }) => filled.includes(name)))),
    history: { ...silent, ...history },
    links,
  })
}

const between = (pairs: readonly Pair[], from: number, to: number): Pair =>
  pairs.find((pair) => pair.from === from && pair.to === to)!

const request = 'find a flight to Rome, and then book it'

describe('a pair', () => {
  it('is weighed in both directions, and never with itself', async () => {
    const pairs = await weigh(request, [find, book, find], { clauses: [0, 1, 0] })
    expect(pairs.map(({ from, to }) => `${from}${to}`).sort()).toEqual(['01', '02', '10', '12', '20', '21'])
  })

  it('adds up to its parts, each of which a reader can check', async () => {
    for (const { parts, logOdds } of await weigh(request, [find, book]))
      expect(logOdds).toBeCloseTo(Object.values(parts).reduce((sum, part) => sum + part, 0))
  })

  it('is likelier in the order of mention, by pointing words and by roles', async () => {
    const pairs = await weigh(request, [find, book])
    const [there, back] = [between(pairs, 0, 1), between(pairs, 1, 0)]
    expect(there.parts).toMatchObject({ order: 1.2, anaphora: 2, roles: 0.7 })
    expect(back.parts).toMatchObject({ order: -2.8, anaphora: 0, roles: -0.7 })
    expect(there.logOdds).toBeGreaterThan(0)
    expect(back.logOdds).toBeLessThan(-1)
  })

  it('knows no order within one clause', async () => {
    const pairs = await weigh('book a flight to Rome', [find, book], { clauses: [0, 0] })
    expect(between(pairs, 0, 1).parts.order).toBe(0)
    expect(between(pairs, 1, 0).parts.order).toBe(0)
  })

  it('wants less where the other has all it needs', async () => {
    const open = between(await weigh(request, [find, book]), 0, 1)
    const filled = between(await weigh(request, [find, book], { filled: ['flight_code'] }), 0, 1)
    expect(open.parts.need).toBeGreaterThan(0)
    expect(filled.parts.need).toBe(-1.2)
    expect(filled.fits).toEqual([])
  })

  it('is taken for sure where one was added for the other', async () => {
    const pairs = await weigh('book a flight', [find, book], { clauses: [0, 0], links: [{ from: 0, to: 1 }] })
    expect(between(pairs, 0, 1).parts.added).toBe(5)
    expect(between(pairs, 1, 0).parts.added).toBe(0)
  })
})

describe('past runs', () => {
  it('count for what they say', async () => {
    const history = {
      direction: (from: string) => (from === 's:book_flight' ? 2.7 : -2.7),
      path: () => 0.5,
      base: 0.4,
    }
    const pairs = await weigh(request, [find, book], { history })
    expect(between(pairs, 1, 0).parts).toMatchObject({ learned: 2.7, habit: 0.4, path: 0.4 })
  })

  it('take the place of what is guessed: with ten of them words and fields count less than a quarter', async () => {
    const spoken = 'find a flight to Rome and book the flight'
    const guessed = between(await weigh(spoken, [find, book]), 0, 1)
    const known = between(await weigh(spoken, [find, book], { history: { count: () => 10 } }), 0, 1)
    for (const part of ['mention', 'fit'] as const) {
      expect(guessed.parts[part]).toBeGreaterThan(0)
      expect(known.parts[part]).toBeCloseTo((3 / 13) * guessed.parts[part]!)
    }
  })
})

describe('fits', () => {
  it('come best first, and name what fills what', async () => {
    const { fits } = between(await weigh(request, [find, book]), 0, 1)
    expect(fits.map(({ output, input }) => [output.path, input.path])).toEqual([
      ['flight_code', 'flight_code'],
    ])
    expect(fits[0]!.score).toBeGreaterThan(0.9)
  })

  it('a list of objects is none for a list of numbers', async () => {
    const list: ToolSketch = {
      id: 's:list_tickets',
      gives: {
        type: 'object',
        properties: {
          tickets: {
            type: 'array',
            items: { type: 'object', properties: { ticket_number: { type: 'integer' } } },
          },
        },
      },
    }
    const close: ToolSketch = {
      id: 's:close_tickets',
      takes: { tickets: { type: 'array', items: { type: 'integer' } } },
    }
    const { fits } = between(await weigh('list the tickets and close them', [list, close]), 0, 1)
    expect(fits.map(({ output }) => output.path)).toEqual(['tickets[*].ticket_number'])
  })

  it('what need not be there is fed only by what plainly is it', async () => {
    const optional: ToolSketch = {
      id: 's:pay',
      takes: { sum: { type: 'boolean' }, 'flight_code?': text, 'remark?': text },
    }
    const { fits } = between(await weigh('find a flight and pay the bill', [find, optional]), 0, 1)
    expect(fits.map(({ input }) => input.path)).toEqual(['flight_code'])
  })

  it('where a schema requires nothing, anything may be what it lacks', async () => {
    const silent: ToolSketch = { id: 's:pay', takes: { 'flight_code?': text, 'remark?': text } }
    const { fits } = between(await weigh('find a flight and pay the bill', [find, silent]), 0, 1)
    expect(fits.map(({ input }) => input.path)).toEqual(['flight_code', 'remark'])
  })

  it('are found also for the fortieth parameter', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 40 }, (_, at) => [`option_${at}?`, { type: 'boolean' }]),
    )
    const late: ToolSketch = { id: 's:book_late', takes: { ...many, flight_code: text } }
    const { fits } = between(await weigh(request, [find, late]), 0, 1)
    expect(fits[0]!.input.path).toBe('flight_code')
    expect(fits[0]!.score).toBeGreaterThan(0.2)
  })

  it('of two hundred fields on either side are looked for in bounded time', async () => {
    const wide = (side: string) =>
      Object.fromEntries(Array.from({ length: 250 }, (_, at) => [`${side}_${at}`, text]))
    const hostile: ToolSketch = {
      id: 's:get_all',
      takes: wide('input'),
      gives: { type: 'object', properties: wide('output') },
    }
    const sketches = Array.from({ length: 40 }, (_, at) => ({ ...hostile, id: `s:get_all_${at}` }))
    const cpu = process.cpuUsage()
    const pairs = await weigh('get all of it', sketches, { clauses: sketches.map(() => 0) })
    expect(pairs).toHaveLength(40 * 39)
    expect(process.cpuUsage(cpu).user / 1_000).toBeLessThan(10_000)
  })
})
