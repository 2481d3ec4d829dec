import { expect, it } from 'vitest'
import type { ToolId } from '../../../model/tool.js'
import { formatWay, readWay, type Way } from './argument-way.js'

const tool = 's:find' as ToolId

it.each<Way>([
  { kind: 'constant', value: { a: [1] } },
  { kind: 'same' },
  { kind: 'step', by: -7 },
  { kind: 'argument', tool, argument: 'a "b"\n' },
  { kind: 'result', tool, path: 'hits[*].id', pick: 'unused0' },
  { kind: 'result', tool, path: 'hits[*].id', pick: 'all' },
  {
    kind: 'row',
    tool,
    fields: [
      ['a', 'x[*].a'],
      ['b', 'x[*].b'],
    ],
    pick: 'named',
  },
  { kind: 'request', shape: 'a_9999', pick: 'first' },
  { kind: 'join', tool, argument: 'path', path: '#FILE', pick: 'after1' },
])('the way $kind is read as it was written', (way) => {
  const value = way.kind === 'constant' ? way.value : undefined
  expect(readWay(formatWay(way), value)).toEqual(way)
})

it.each([
  '',
  'constant',
  'step',
  'step 0',
  'step 1.5',
  'step x',
  '[',
  'null',
  '{}',
  '["result","s:find","x"]',
  '["result","s:find","x","best"]',
  '["row","s:find",[["a","b"]],"first"]',
  '["row","s:find",[["a","b"],["c","d"]],"all"]',
  '["teleport","s:find"]',
])('%j is no way', (text) => {
  expect(readWay(text, undefined)).toBeUndefined()
})
