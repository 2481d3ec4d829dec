import { describe, expect, it } from 'vitest'
import type { NodeId } from '../model/edge.js'
import { localAlpha } from './local-alpha.js'
import { passiveAlpha, passiveCapabilityAlpha } from './passive-alpha.js'
import { edge, graphOf, id } from './test-graph.contract.js'

describe('a tool', () => {
  const graph = graphOf([edge('a', 'b', 'sequence'), edge('b', 'c', 'sequence'), edge('x', 'y', 'sequence')])

  it('is trusted to structure by the heat that reaches it from the context', () => {
    // b = .85 a, see random-walk.test.ts; each edge was seen 8 times.
    const pair = graphOf([edge('a', 'b', 'sequence')])
    expect(passiveAlpha(id('b'), [id('a')], pair)).toBeCloseTo(localAlpha(0.85, 8), 3)
    const [near, far] = ['b', 'c'].map((name) => passiveAlpha(id(name), [id('a')], graph))
    expect(near).toBeLessThan(far!)
    expect(far).toBeLessThan(1)
  })

  it('is meaning alone where no heat comes, without context, and where nothing is known of it', () => {
    expect(passiveAlpha(id('y'), [id('a')], graph)).toBe(1)
    expect(passiveAlpha(id('b'), [], graph)).toBe(1)
    expect(passiveAlpha(id('stranger'), [id('stranger')], graph)).toBe(1)
  })
})

describe('a capability', () => {
  const cap = (name: string) => `cap:${name}` as NodeId
  const contains = (from: NodeId, to: NodeId) => ({ ...edge('', '', 'contains'), from, to })
  const dependency = (from: NodeId, to: NodeId) => ({ ...edge('', '', 'dependency'), from, to })

  it('is warmed by a tool that it contains', () => {
    const graph = graphOf([contains(cap('one'), id('a')), contains(cap('two'), id('b'))])
    expect(passiveCapabilityAlpha(cap('one'), [id('a')], graph)).toBeLessThan(1)
    expect(passiveCapabilityAlpha(cap('two'), [id('a')], graph)).toBe(1)
  })

  it('passes heat up more than down, and most within its layer', () => {
    // Edges of one type weigh the same, so of what leaves `one` the shares are those of the factors.
    const graph = graphOf([
      contains(cap('meta'), cap('one')),
      contains(cap('one'), id('a')),
      contains(cap('one'), cap('leaf')),
      dependency(cap('meta'), cap('other')),
    ])
    const alpha = (node: NodeId) => passiveCapabilityAlpha(node, [cap('leaf')], graph)
    // `one` holds a capability, so it is a meta-capability as `meta` is: .9 to it, .5 to the tool.
    expect(alpha(cap('meta'))).toBeLessThan(alpha(id('a')))
  })

  it('carries no heat along edges that only say what came after what', () => {
    const graph = graphOf([
      contains(cap('one'), id('a')),
      { ...edge('', '', 'sequence'), from: cap('one'), to: cap('two') },
    ])
    expect(passiveCapabilityAlpha(cap('two'), [id('a')], graph)).toBe(1)
  })

  it('the three factors, by hand', () => {
    // From the capability c: up to meta m (.7), down to tool a (.5), beside it d (dependency, 1 against .8 of contains: .9).
    const graph = graphOf([
      contains(cap('m'), cap('c')),
      contains(cap('c'), id('a')),
      dependency(cap('c'), cap('d')),
    ])
    const shares = { m: 0.7 * 0.8, a: 0.5 * 0.8, d: 0.9 * 1 }
    const total = shares.m + shares.a + shares.d
    // All heat that leaves c comes back from its leaves: a leaf has .85 of its share.
    for (const [node, share] of [
      [cap('m'), shares.m],
      [id('a'), shares.a],
      [cap('d'), shares.d],
    ] as const)
      expect(passiveCapabilityAlpha(node, [cap('c')], graph)).toBeCloseTo(
        localAlpha((0.85 * share) / total, 8),
        3,
      )
  })
})
