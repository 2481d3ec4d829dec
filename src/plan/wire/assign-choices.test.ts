import { expect, it } from 'vitest'
import { readIntent } from '../read/read-intent.js'
import { assignChoices } from './assign-choices.js'
import { assignLiterals } from './assign-literals.js'
import { shapeTools, type ToolSketch } from './shape-tools.contract.js'

const priority = { type: 'string', enum: ['low', 'normal', 'high', 'very high'] }

async function said(
  request: string,
  takes: NonNullable<ToolSketch['takes']>,
): Promise<Readonly<Record<string, string>>> {
  const intent = readIntent(request)
  const shapes = await shapeTools({ id: 's:open_ticket', takes })
  const places = [{ clause: 0, at: 0, score: 1, chances: [1] }]
  const values = assignLiterals(intent, shapes, places)
  const found = assignChoices(intent, shapes, places, values)
  for (const { literals } of found)
    for (const { start, end, text } of literals)
      expect(intent.text.slice(start, end).toLowerCase()).toBe(text.toLowerCase())
  return Object.fromEntries(found.map(({ field, literals }) => [field.path, literals[0]!.text]))
}

it('a choice that stands in the request is taken, as the schema writes it', async () => {
  const shouted = { type: 'string', enum: ['LOW', 'HIGH'] }
  expect(await said('open a ticket with high priority', { priority: shouted })).toEqual({ priority: 'HIGH' })
})

it('the longer of two that overlap is meant, and two that do not contradict each other', async () => {
  expect(await said('open a ticket with very high priority', { priority })).toEqual({ priority: 'very high' })
  expect(await said('open a ticket, low or high', { priority })).toEqual({})
})

it('what need not be there is taken only where it is named', async () => {
  expect(await said('open a high ticket', { 'priority?': priority })).toEqual({})
  expect(await said('open a ticket with high priority', { 'priority?': priority })).toEqual({
    priority: 'high',
  })
})

it('parts of words, parts of values, and the verb that the clause begins with are no choices', async () => {
  const mode = { type: 'string', enum: ['open', 'ail'] }
  expect(await said('open a mail ticket called "fully open"', { title: { type: 'string' }, mode })).toEqual(
    {},
  )
})

it('what a value fills already is left alone, and so is what holds others', async () => {
  expect(await said('open a ticket with "low" high priority', { priority })).toEqual({})
  expect(await said('open a ticket', { priority })).toEqual({})
  expect(await said('', { priority })).toEqual({})
})
