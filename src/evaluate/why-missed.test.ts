import { expect, it } from 'vitest'
import type { Json, JsonObject } from '../model/json.js'
import type { ToolId } from '../model/tool.js'
import { isVisible } from './why-missed.js'

function visible(args: JsonObject, before: { result?: Json; query?: string }): boolean {
  const tool = 'set:t' as ToolId
  const first = {
    tool,
    arguments: {},
    turn: 0,
    ...(before.result !== undefined && { result: before.result }),
  }
  const session = {
    id: 's',
    group: 'g',
    query: before.query,
    calls: [first, { tool, arguments: args, turn: 1 }],
  }
  return isVisible(session, 1)
}

it('a value is visible where it stood as a whole, in a result, as a key of it, or in the request', () => {
  expect(visible({ id: 'HAT136' }, { result: { flights: [{ id: 'HAT136' }] } })).toBe(true)
  expect(visible({ id: 'card_1' }, { result: { cards: { card_1: {} } } })).toBe(true)
  expect(visible({ id: 7 }, { result: 'order 7 is open' })).toBe(true)
  expect(visible({ user: 'mia_li' }, { query: 'You are mia_li.' })).toBe(true)
  expect(visible({ day: '2024-05-20' }, { query: 'on May 20' })).toBe(true)
  expect(visible({}, {})).toBe(true)
})

it('a part of another word is not it, and one value that stood nowhere is enough', () => {
  expect(visible({ id: 'HAT1' }, { result: { id: 'HAT136' } })).toBe(false)
  expect(visible({ id: 'HAT136', to: 'SEA' }, { result: { id: 'HAT136' } })).toBe(false)
  expect(visible({ id: 'later' }, { query: 'now' })).toBe(false)
})
