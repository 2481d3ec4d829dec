import { expect, it } from 'vitest'
import { bornCapability } from './born-capability.js'
import { mergedCapability } from './merged-capability.js'
import { capability, capId, noon, toolId, use } from './test-shelf.contract.js'

const lifted = {
  code: 'return tools.fs.read({path: args.path})',
  inputSchema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
  arguments: { path: '/tmp/notes.txt' },
  structure: '0123456789abcdef',
}
const birth = { lifted, tools: [toolId('fs:read')], calls: [], now: noon, taken: new Set<string>() }

it('a capability is born with its name, its id and its first use', () => {
  expect(
    bornCapability({ ...birth, intent: 'read the notes of /tmp/notes.txt', use: use({ ms: 70 }) }),
  ).toEqual({
    id: 'cap:read-notes-012345',
    name: 'read_notes',
    description: 'Read the notes of <path>. Calls fs:read.',
    intents: ['read the notes of /tmp/notes.txt'],
    code: lifted.code,
    structure: lifted.structure,
    inputSchema: lifted.inputSchema,
    tools: ['fs:read'],
    calls: [],
    origin: 'learned',
    uses: 1,
    successes: 1,
    meanMs: 70,
    recent: [use({ ms: 70 })],
    createdAt: noon,
    lastUsedAt: noon,
  })
})

it('one that somebody wrote has the name that it was given, and no uses', () => {
  const written = bornCapability({ ...birth, origin: 'manual', name: 'myNotes', description: 'Notes.' })
  expect(written).toMatchObject({
    id: 'cap:my-notes-012345',
    name: 'myNotes',
    description: 'Notes.',
    origin: 'manual',
    intents: [],
    uses: 0,
    successes: 0,
    recent: [],
  })
})

it('merging either way round gives the same counts and times', () => {
  const a = capability('a', { uses: 3, successes: 2, meanMs: 50, recent: [use({ at: 5 })], lastUsedAt: 5 })
  const b = capability('b', { uses: 7, successes: 0, recent: [use({ at: 2 })], lastUsedAt: 9 })
  const facts = ({ uses, successes, meanMs, recent, createdAt, lastUsedAt }: typeof a) => ({
    uses,
    successes,
    meanMs,
    recent,
    createdAt,
    lastUsedAt,
  })
  expect(facts(mergedCapability(a, b))).toEqual(facts(mergedCapability(b, a)))
  expect(facts(mergedCapability(a, b))).toMatchObject({ uses: 10, successes: 2, meanMs: 50, lastUsedAt: 9 })
  expect(mergedCapability(a, b).id).toBe(capId('a'))
})
