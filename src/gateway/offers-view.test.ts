import { describe, expect, it } from 'vitest'
import type { ServerOffers } from '../model/offers.js'
import { createOffersView } from './offers-view.js'
import { testConfig } from './test-gateway.contract.js'

function view(offers: Record<string, Partial<ServerOffers>>, prefix: 'server' | 'none' = 'server') {
  const full = Object.fromEntries(
    Object.entries(offers).map(([name, some]) => [
      name,
      { resources: [], templates: [], prompts: [], ...some } as ServerOffers,
    ]),
  )
  return createOffersView({ config: () => ({ ...testConfig, prefix }), offers: () => full })
}

describe('what servers offer beside tools', () => {
  it('resources keep their addresses; of two that share one the second gets one of ours', () => {
    const shared = [{ uri: 'a:1', name: 'one' }]
    const offers = view({ y: { resources: shared }, x: { resources: shared } })
    expect(offers.resources().map(({ uri }) => uri)).toEqual(['a:1', 'pml://server/y/a:1'])
    expect(offers.findResource('a:1')[0]).toEqual({ server: 'x', name: 'a:1' })
    expect(offers.findResource('pml://server/y/a:1')).toEqual([{ server: 'y', name: 'a:1' }])
    expect(offers.addressesOf('y', 'a:1')).toContain('pml://server/y/a:1')
  })

  it('an address leads to who lists it, who spoke of it, whose template it fits, and then to the rest', () => {
    const offers = view({
      a: { resources: [{ uri: 'a:1' }] },
      b: { templates: [{ uriTemplate: 'b://of/{name}/end' }] },
      c: { resources: [{ uri: 'c:1' }] },
      none: {},
    })
    expect(offers.findResource('b://of/x/end').map(({ server }) => server)).toEqual(['b', 'a', 'c'])
    offers.sawLink('c', 'x:1')
    expect(offers.findResource('x:1').map(({ server }) => server)).toEqual(['c', 'a', 'b'])
    expect(offers.findTemplate('b://of/{name}/end')).toEqual({ server: 'b', name: 'b://of/{name}/end' })
  })

  it.each([
    ['b://{x}', 'b://', true],
    ['b://{x}', 'b:/', false],
    ['b://{x}/mid/{y}', 'b://1/mid/2', true],
    ['b://{x}/mid/{y}', 'b://1/other/2', false],
    ['b://ab{x}ab', 'b://ab', false],
    ['b://plain', 'b://plain', true],
  ])('the template %s and %s', (uriTemplate, uri, fits) => {
    const offers = view({ a: { resources: [{ uri: 'a:1' }] }, b: { templates: [{ uriTemplate }] } })
    expect(offers.findResource(uri)[0]?.server).toBe(fits ? 'b' : 'a')
  })

  it('prompts are named like tools and found by any form of their name', () => {
    const offers = view({
      git: { prompts: [{ name: 'review' }, { name: 'only here' }] },
      hub: { prompts: [{ name: 'review' }] },
    })
    const names = offers.prompts().map(({ name }) => name as string)
    expect(names).toEqual([
      'git__review',
      expect.stringMatching(/^git__only_here_[0-9a-f]{8}$/),
      'hub__review',
    ])
    expect(offers.findPrompt('hub__review')).toEqual({ server: 'hub', name: 'review' })
    expect(offers.findPrompt('git:review')).toEqual({ server: 'git', name: 'review' })
    expect(offers.findPrompt('only here')).toEqual({ server: 'git', name: 'only here' })
    expect(offers.findPrompt('review')).toBeUndefined()
    expect(offers.closestPrompts('git__reviw')).toContain('git__review')
  })

  it('without a prefix names are what they are', () => {
    expect(view({ git: { prompts: [{ name: 'only here' }] } }, 'none').prompts()).toEqual([
      { name: 'only here' },
    ])
  })
})
