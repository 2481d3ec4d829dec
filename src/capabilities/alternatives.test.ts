import { describe, expect, it } from 'vitest'
import { alternativesOf } from './alternatives-of.js'
import { findAlternatives } from './find-alternatives.js'
import { capability, capId, dependency, noon, shelfOf, toolId } from './test-shelf.contract.js'

/** Shared words over all words. */
function likeness(a: string, b: string): number {
  const left = new Set(a.split(' '))
  const right = new Set(b.split(' '))
  const both = [...left].filter((word) => right.has(word)).length
  return both / new Set([...left, ...right]).size
}

const intents = ['tell the team about the release']
const mail = capability('mail', { intents, tools: [toolId('mail:send')] })
const chat = capability('chat', { intents: ['something else', ...intents], tools: [toolId('chat:post')] })
const other = capability('other', { intents: ['count the files'], tools: [toolId('fs:list')] })
const learn = (...capabilities: Parameters<typeof shelfOf>[0][number][]) =>
  findAlternatives(mail.id, { shelf: shelfOf([mail, ...capabilities]), likeness, now: noon })

describe('an alternative is learned', () => {
  it('where intents are alike and tools are not, in both directions', () => {
    expect(learn(chat, other)).toEqual([
      dependency('mail', 'chat', 'alternative'),
      dependency('chat', 'mail', 'alternative'),
    ])
  })

  it('not where the tools are the same, in whatever order', () => {
    expect(learn({ ...chat, tools: mail.tools })).toEqual([])
    expect(
      learn(capability('inner', { tools: mail.tools }), { ...chat, tools: [], calls: [capId('inner')] }),
    ).toEqual([])
  })

  it('not where one comes to call the other', () => {
    expect(learn({ ...chat, calls: [capId('middle')] }, capability('middle', { calls: [mail.id] }))).toEqual(
      [],
    )
  })

  it('not where nobody said what it is for, and not twice', () => {
    expect(learn({ ...chat, intents: [] })).toEqual([])
    const shelf = shelfOf([mail, chat])
    shelf.addDependencies(findAlternatives(mail.id, { shelf, likeness, now: noon }))
    expect(findAlternatives(mail.id, { shelf, likeness, now: noon })).toEqual([])
    expect(findAlternatives(chat.id, { shelf, likeness, now: noon })).toEqual([])
  })
})

describe('an alternative is offered', () => {
  const offered = (successes: number, uses: number) =>
    alternativesOf(
      mail.id,
      0.8,
      shelfOf([mail, { ...chat, successes, uses }], [dependency('chat', 'mail', 'alternative')]),
    )

  it('at .9 of the score, where it succeeds in more than .7', () => {
    expect(offered(2, 2)).toEqual([{ id: chat.id, score: 0.9 * 0.8, rate: 0.75 }])
    expect(offered(1, 1)).toEqual([])
    expect(offered(6, 8)).toEqual([])
  })

  it('for the one it stands in for, and not the other way round where nobody said so', () => {
    const used = { uses: 9, successes: 9 }
    const shelf = shelfOf([{ ...mail, ...used }, chat], [dependency('chat', 'mail', 'alternative')])
    expect(alternativesOf(chat.id, 0.8, shelf)).toEqual([])
  })
})
