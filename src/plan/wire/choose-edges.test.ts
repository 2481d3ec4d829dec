import { beforeAll, describe, expect, it } from 'vitest'
import { chooseEdges } from './choose-edges.js'
import type { ShapedField, ToolShape } from './describe-tool.js'
import { shapeTools } from './shape-tools.contract.js'
import type { Pair } from './weigh-pairs.js'

const text = { type: 'string' }
let shapes: readonly ToolShape[]

beforeAll(async () => {
  shapes = await shapeTools(
    ...['a', 'b', 'c', 'd'].map((name) => ({
      id: `s:get_${name}`,
      takes: { first: text, second: text, 'third?': text },
      gives: { type: 'object', properties: { one: text, two: text } },
    })),
  )
})

const field = (fields: readonly ShapedField[], name: string): ShapedField =>
  fields.find((one) => one.name === name)!

type Fits = readonly (readonly [output: string, input: string, score: number])[]

/** A pair that stands by its fits: `mention` is what is left. */
function pair(from: number, to: number, logOdds: number, fits: Fits = [], parts: Pair['parts'] = {}): Pair {
  return {
    from,
    to,
    logOdds,
    parts,
    fits: fits.map(([output, input, score]) => ({
      output: field(shapes[from]!.outputs, output),
      input: field(shapes[to]!.inputs, input),
      score,
    })),
  }
}

function choose(pairs: readonly Pair[], filled: readonly string[] = []) {
  const chosen = chooseEdges(pairs, {
    shapes,
    filled: shapes.map(({ inputs }) => new Set(inputs.filter(({ name }) => filled.includes(name)))),
    history: { runs: () => [] },
  })
  const show = ({ from, to, fields }: (typeof chosen.edges)[number]): string =>
    `${from} -> ${to}${fields.map(({ output, input }) => ` ${output}:${input}`).join('')}`
  return { edges: chosen.edges.map(show), dropped: chosen.dropped.map(show) }
}

describe('an edge is taken', () => {
  it('where it is likelier than not and feeds something', () => {
    expect(choose([pair(0, 1, 1, [['one', 'first', 0.6]])]).edges).toEqual(['0 -> 1 one:first'])
  })

  it('in doubt, where a tool would lack what it must have', () => {
    expect(choose([pair(0, 1, -0.5, [['one', 'first', 0.6]])]).edges).toEqual(['0 -> 1 one:first'])
    expect(choose([pair(0, 1, -0.5, [['one', 'third', 0.6]])]).edges).toEqual([])
    expect(choose([pair(0, 1, -1.1, [['one', 'first', 0.9]])]).edges).toEqual([])
  })

  it('in doubt not where the request says it the other way round', () => {
    expect(choose([pair(0, 1, -0.5, [['one', 'first', 0.6]], { order: -2 })]).edges).toEqual([])
  })

  it('in doubt for the likeliest alone', () => {
    const pairs = [pair(0, 2, -0.5, [['one', 'first', 0.6]]), pair(1, 2, -0.4, [['one', 'second', 0.6]])]
    expect(choose(pairs).edges).toEqual(['1 -> 2 one:second'])
  })

  it('without feeding anything, where the request or past runs speak of it', () => {
    expect(choose([pair(0, 1, 1)]).edges).toEqual([])
    expect(choose([pair(0, 1, 1, [], { anaphora: 2 })]).edges).toEqual(['0 -> 1'])
    expect(choose([pair(0, 1, 1, [], { learned: 1, habit: 0.5 })]).edges).toEqual(['0 -> 1'])
  })
})

describe('fields', () => {
  it('each input is fed once, by the likeliest pair', () => {
    const pairs = [pair(0, 2, 1, [['one', 'first', 0.9]]), pair(1, 2, 2, [['one', 'first', 0.5]])]
    expect(choose(pairs).edges).toEqual(['1 -> 2 one:first'])
  })

  it('each output of a pair feeds once, and a second one must be sure', () => {
    const fits: Fits = [
      ['one', 'first', 0.9],
      ['one', 'second', 0.8],
      ['two', 'second', 0.6],
    ]
    expect(choose([pair(0, 1, 1, fits)]).edges).toEqual(['0 -> 1 one:first two:second'])
    const unsure: Fits = [
      ['one', 'first', 0.9],
      ['two', 'second', 0.4],
    ]
    expect(choose([pair(0, 1, 1, unsure)]).edges).toEqual(['0 -> 1 one:first'])
  })

  it('what has its value already is not fed', () => {
    expect(choose([pair(0, 1, 1, [['one', 'first', 0.9]])], ['first']).edges).toEqual([])
  })
})

describe('circles', () => {
  const fits: Fits = [['one', 'first', 0.9]]

  it('lose their weakest edge, which is named', () => {
    const pairs = [pair(0, 1, 3, fits), pair(1, 2, 1, fits), pair(2, 0, 2, fits)]
    expect(choose(pairs)).toEqual({ edges: ['0 -> 1 one:first', '2 -> 0 one:first'], dropped: ['1 -> 2'] })
  })

  it('of which several share an edge are all opened', () => {
    const pairs = [
      pair(0, 1, 3, fits),
      pair(1, 0, 2, fits),
      pair(1, 2, 2.5, fits),
      pair(2, 0, 1, [['one', 'second', 0.9]]),
    ]
    expect(choose(pairs)).toEqual({
      edges: ['0 -> 1 one:first', '1 -> 2 one:first'],
      dropped: ['1 -> 0', '2 -> 0'],
    })
  })
})

it('what an edge that goes would have fed, another feeds', () => {
  const first: Fits = [['one', 'first', 0.9]]
  const pairs = [pair(0, 1, 3, first), pair(1, 0, 2, first), pair(2, 0, 1, first)]
  expect(choose(pairs)).toEqual({ edges: ['0 -> 1 one:first', '2 -> 0 one:first'], dropped: ['1 -> 0'] })
})

it('what past runs alone say, and others say already, is left out', () => {
  const learned = { learned: 2 }
  const pairs = [pair(0, 1, 1, [], learned), pair(1, 2, 1, [], learned), pair(0, 2, 1, [], learned)]
  expect(choose(pairs).edges).toEqual(['0 -> 1', '1 -> 2'])
})
