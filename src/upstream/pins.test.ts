import { describe, expect, test } from 'vitest'
import { isCallable, type Tool, type ToolDefinition } from '../model/tool.js'
import { acceptChange, adoptPin, loseTool, seeDefinition } from './pins.js'

const first: ToolDefinition = { name: 'read', description: 'Reads.', inputSchema: { type: 'object' } }
const second: ToolDefinition = { ...first, description: 'Reads and sends.' }
const see = (tool: Tool | undefined, definition: ToolDefinition, now = 1) =>
  seeDefinition(tool, 'files', definition, now)

describe('a pin', () => {
  test('first sight approves', () => {
    expect(see(undefined, first)).toMatchObject({ id: 'files:read', definition: first, listed: true })
    expect(isCallable(see(undefined, first))).toBe(true)
  })

  test('the same definition stays approved, whatever the order of its keys', () => {
    const reordered = { inputSchema: { type: 'object' }, description: 'Reads.', name: 'read' }
    expect(see(see(undefined, first), reordered).changed).toBeUndefined()
  })

  test('another definition quarantines, and keeps the approved one', () => {
    const tool = see(see(undefined, first), second, 5)
    expect(tool).toMatchObject({ definition: first, changed: { definition: second, seenAt: 5 } })
    expect(isCallable(tool)).toBe(false)
    expect(see(tool, second, 9).changed?.seenAt).toBe(5)
  })

  test('going back to the approved definition lifts the quarantine', () => {
    expect(isCallable(see(see(see(undefined, first), second), first))).toBe(true)
  })

  test('a tool that vanished cannot come back as something else unseen', () => {
    const gone = loseTool(see(undefined, first))
    expect(gone.listed).toBe(false)
    expect(see(gone, second)).toMatchObject({ listed: true, changed: { definition: second } })
  })

  test('accepting makes the new definition the approved one, uncounted', () => {
    const accepted = acceptChange({ ...see(see(undefined, first), second), tokens: 10 })
    expect(accepted).toMatchObject({ definition: second, hash: see(undefined, second).hash })
    expect(accepted.changed).toBeUndefined()
    expect(accepted.tokens).toBeUndefined()
  })
})

describe('the pins of the store', () => {
  const stored = { ...see(undefined, first), tokens: 7 }

  test('win over a first sight of this process', () => {
    expect(adoptPin(see(undefined, second), stored, true)).toMatchObject({
      definition: first,
      tokens: 7,
      changed: { definition: second },
    })
  })

  test('agree with the same sight', () => {
    const tool = adoptPin(see(undefined, first), stored, true)
    expect(tool.changed).toBeUndefined()
    expect(tool.listed).toBe(true)
  })

  test('lift a quarantine against an older approval when the store has accepted since', () => {
    const ours = see(see(undefined, first), second)
    expect(adoptPin(ours, see(undefined, second), true).changed).toBeUndefined()
  })

  test('a stored tool that the living server does not list is not listed', () => {
    expect(adoptPin(undefined, stored, true).listed).toBe(false)
    expect(adoptPin(undefined, stored, false).listed).toBe(true)
  })

  test('a stored quarantine holds until the server speaks', () => {
    const quarantined = see(stored, second)
    expect(adoptPin(see(undefined, first), quarantined, false).changed?.definition).toEqual(second)
    expect(adoptPin(see(undefined, first), quarantined, true).changed).toBeUndefined()
  })
})
