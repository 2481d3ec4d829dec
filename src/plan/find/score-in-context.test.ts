import { describe, expect, it } from 'vitest'
import type { Evidence } from '../../graph/create-evidence.js'
import type { ToolId } from '../../model/tool.js'
import { makeTool } from '../make-tool.contract.js'
import type { ToolHit } from './create-tool-search.js'
import { scoreInContext } from './score-in-context.js'

const hit = (id: string, semantic: number, name = 0): ToolHit => ({
  tool: makeTool(id),
  score: semantic,
  parts: { name, words: 1, semantic },
})
const evidence =
  (values: Readonly<Record<string, number>>) =>
  (id: ToolId): Evidence =>
    values[id] === undefined
      ? { value: 0, by: 'nothing' }
      : { value: values[id], by: 'edge', from: 'x:used' as ToolId }
const half = () => 0.5
const listed = (hits: readonly ToolHit[]) => hits.map(({ tool, score }) => [tool.id, score])

describe('without evidence', () => {
  it('every score and the order stay what they were, ties included', () => {
    const hits = [hit('a:1', 0.8), hit('a:3', 0.5), hit('a:2', 0.5), hit('a:4', 0.1)]
    expect(scoreInContext(hits, evidence({}), half)).toEqual(hits)
  })

  it('alpha is not asked for', () => {
    const alphaOf = () => {
      throw new Error('asked')
    }
    expect(scoreInContext([hit('a:1', 0.8)], evidence({ 'a:1': 0.8 }), alphaOf)).toHaveLength(1)
  })
})

describe('evidence', () => {
  it('lifts by its excess over the semantic score, times 1 - alpha, and says so', () => {
    const [first] = scoreInContext([hit('a:1', 0.2)], evidence({ 'a:1': 0.9 }), () => 0.75)
    // .75 * .2 + .25 * .9
    expect(first!.score).toBeCloseTo(0.375, 12)
    expect(first!.parts).toEqual({
      name: 0,
      words: 1,
      semantic: 0.2,
      graph: { alpha: 0.75, evidence: 0.9, by: 'edge', from: 'x:used' },
    })
  })

  it('below the semantic score takes nothing away', () => {
    expect(listed(scoreInContext([hit('a:1', 0.6)], evidence({ 'a:1': 0.3 }), half))).toEqual([['a:1', 0.6]])
  })

  it('with alpha 1 changes no score', () => {
    const [first] = scoreInContext([hit('a:1', 0.2)], evidence({ 'a:1': 0.9 }), () => 1)
    expect(first!.score).toBe(0.2)
  })

  it('can change the order of what it lifts', () => {
    const hits = [hit('a:1', 0.6), hit('a:2', 0.4)]
    expect(listed(scoreInContext(hits, evidence({ 'a:2': 1 }), half))).toEqual([
      ['a:2', 0.7],
      ['a:1', 0.6],
    ])
  })

  it('never puts anything before a near name', () => {
    const hits = [hit('a:named', 0.9, 0.9), hit('a:other', 0.85)]
    const ids = scoreInContext(hits, evidence({ 'a:other': 1 }), half).map(({ tool }) => tool.id)
    expect(ids).toEqual(['a:named', 'a:other'])
  })
})
