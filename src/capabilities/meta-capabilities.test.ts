import { expect, it } from 'vitest'
import { metaCapabilities } from './meta-capabilities.js'
import { capability, capId, dependency, shelfOf } from './test-shelf.contract.js'

const often = (from: string, to: string, count = 3) => dependency(from, to, 'sequence', { count })

it('a capability that holds others is one, whether the code or a run shows it', () => {
  const shelf = shelfOf(
    [capability('all', { calls: [capId('b'), capId('gone')] }), capability('a'), capability('b')],
    [dependency('all', 'a', 'contains', { count: 4 })],
  )
  expect(metaCapabilities(shelf, undefined)).toEqual([
    { id: capId('all'), kind: 'contains', name: 'all', members: [capId('a'), capId('b')], count: 4 },
  ])
})

it('those that follow one another three times are a group, named after what they have in common', () => {
  const names = ['read_notes', 'sort_notes', 'mail_notes', 'count_rows']
  const edges = [
    often('read_notes', 'sort_notes'),
    often('sort_notes', 'mail_notes', 5),
    often('mail_notes', 'count_rows', 2),
  ]
  const shelf = shelfOf(
    names.map((name) => capability(name)),
    edges,
  )
  const [group, ...more] = metaCapabilities(shelf, undefined)
  expect(more).toEqual([])
  expect(group).toEqual({
    id: expect.stringMatching(/^meta:[0-9a-f]{12}$/),
    kind: 'together',
    name: 'notes_together',
    members: [capId('mail_notes'), capId('read_notes'), capId('sort_notes')],
    count: 8,
  })
  const reversed = shelfOf(
    [...names].reverse().map((name) => capability(name)),
    [...edges].reverse(),
  )
  expect(metaCapabilities(reversed, undefined)).toEqual([group])
})

it('a group stays within one cluster', () => {
  const shelf = shelfOf(
    ['a', 'b', 'c', 'd'].map((name) => capability(name)),
    [often('a', 'b'), often('b', 'c'), often('c', 'd')],
  )
  const of = new Map(['a', 'b', 'c', 'd'].map((name, at) => [capId(name), at < 2 ? 0 : 1]))
  expect(metaCapabilities(shelf, { of }).map(({ name }) => name)).toEqual(['a_and_b', 'c_and_d'])
  expect(metaCapabilities(shelf, undefined).map(({ name }) => name)).toEqual(['a_and_3_more'])
})
