import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../model/json.js'
import { readIntent } from '../read/read-intent.js'
import type { ShapedField } from '../wire/describe-tool.js'
import { shapeTools } from '../wire/shape-tools.contract.js'
import { joinReference, type Referred, referToResult } from './refer-to-result.js'
import type { OpenTask } from './resolve-arguments.js'

const text = { type: 'string' }
const number = { type: 'number' }
const listOf = (items: JsonObject): JsonObject => ({ type: 'array', items })
const holding = (properties: Readonly<Record<string, JsonObject>>): JsonObject => ({
  type: 'object',
  properties,
})

interface Given {
  /** What the producer's result looks like; undefined: nobody knows. */
  readonly gives?: JsonObject
  readonly output?: string
  readonly takes?: JsonObject
  readonly request?: string
  readonly isList?: boolean
  readonly givesEach?: boolean
}

async function refer({
  gives,
  output = '',
  takes = text,
  request = 'use it',
  isList = false,
  givesEach = false,
}: Given): Promise<Referred> {
  const [producing, using] = await shapeTools(
    { id: 's:list', ...(gives && { gives }) },
    { id: 's:use', takes: { value: takes } },
  )
  const clause = readIntent(request).clauses[0]!
  const open = (id: string, shape: OpenTask['shape'], each: boolean): OpenTask => ({
    id,
    shape,
    clause: id === 'use' ? clause : readIntent('list things').clauses[0]!,
    literals: [],
    givesEach: each,
    isDone: false,
    isList: false,
  })
  return referToResult({
    task: open('use', using!, false),
    input: using!.inputs[0]!,
    producer: open('list', producing!, givesEach),
    output: producing!.outputs.find(({ path }: ShapedField) => path === output),
    isList,
  })
}

const files = holding({ files: listOf(holding({ path: text, size: number })) })

describe('a single value', () => {
  it('is taken as it is', async () => {
    expect(await refer({ gives: holding({ content: text }), output: 'content' })).toEqual({
      value: { $from: 'list.content' },
    })
  })

  it('is the whole result where nobody knows what it looks like', async () => {
    expect(await refer({})).toEqual({ value: { $from: 'list' } })
  })

  it('is made text, or a number, where the other is wanted', async () => {
    expect(await refer({ gives: holding({ size: number }), output: 'size' })).toEqual({
      value: { $from: 'list.size', $as: 'text' },
      coerced: 'number as text',
    })
    expect(await refer({ gives: holding({ size: text }), output: 'size', takes: number })).toEqual({
      value: { $from: 'list.size', $as: 'number' },
      coerced: 'text as a number',
    })
  })

  it('becomes a list of one where a list is wanted', async () => {
    expect(
      await refer({ gives: holding({ content: text }), output: 'content', takes: listOf(text) }),
    ).toEqual({
      value: [{ $from: 'list.content' }],
      coerced: 'a single value as a list of one',
    })
  })
})

describe('of many', () => {
  it('each is taken where each is meant, and where nothing else is said', async () => {
    for (const request of ['use each of them', 'use every path', 'use it'])
      expect(await refer({ gives: files, output: 'files[*].path', request })).toEqual({
        value: { $from: 'list.files[*].path' },
      })
  })

  it('the first is taken where one is meant', async () => {
    for (const request of ['use the first one', 'use the newest one', 'use the best of them'])
      expect(await refer({ gives: files, output: 'files[*].path', request })).toEqual({
        value: { $from: 'list.files[0].path' },
      })
  })

  it('all are taken where a list is wanted', async () => {
    expect(await refer({ gives: files, output: 'files[*].path', takes: listOf(text) })).toEqual({
      value: { $from: 'list.files[*].path' },
    })
    const names = holding({ names: listOf(text) })
    expect(await refer({ gives: names, output: 'names', takes: listOf(text) })).toEqual({
      value: { $from: 'list.names' },
    })
  })

  it('a bare list is taken one by one, converted by what it holds', async () => {
    expect(
      await refer({ gives: holding({ sizes: listOf(number) }), output: 'sizes', request: 'use each' }),
    ).toEqual({
      value: { $from: 'list.sizes[*]', $as: 'text' },
      coerced: 'number as text',
    })
  })

  it('a list of objects is text where one text is wanted of it', async () => {
    expect(await refer({ gives: files, output: 'files', request: 'send it' })).toEqual({
      value: { $from: 'list.files', $as: 'text' },
      coerced: 'array as text',
    })
  })

  it('lines of a text are taken one by one where each is meant', async () => {
    const lines = holding({ content: { type: 'string', format: 'lines' } })
    expect(await refer({ gives: lines, output: 'content', request: 'use each' })).toEqual({
      value: { $from: 'list.content[*]' },
    })
    expect(await refer({ gives: lines, output: 'content' })).toEqual({ value: { $from: 'list.content' } })
    const said = holding({ content: text })
    expect(await refer({ gives: said, output: 'content', givesEach: true })).toEqual({
      value: { $from: 'list.content[*]' },
    })
  })

  it('what was added for each of what it gives, is taken one by one also where nobody knows what that looks like', async () => {
    expect(await refer({ givesEach: true, request: 'use each' })).toEqual({ value: { $from: 'list[*]' } })
  })
})

describe('of a task that is done for each', () => {
  const read = { gives: holding({ content: text }), output: 'content', isList: true }

  it('each result is taken, or the first', async () => {
    expect(await refer(read)).toEqual({ value: { $from: 'list[*].content' } })
    expect(await refer({ ...read, request: 'use the first one' })).toEqual({
      value: { $from: 'list[0].content' },
    })
  })

  it('each goes into a list of its own, or all into one', async () => {
    const takes = listOf(text)
    expect(await refer({ ...read, takes, request: 'use each' })).toEqual({
      value: [{ $from: 'list[*].content' }],
    })
    expect(await refer({ ...read, takes, request: 'merge the results' })).toEqual({
      value: { $from: 'list[*].content' },
    })
  })
})

it('a path may begin with a place in a list, or with an odd key', () => {
  expect(joinReference('a', '')).toBe('a')
  expect(joinReference('a', 'b.c')).toBe('a.b.c')
  expect(joinReference('a', '[*].c')).toBe('a[*].c')
  expect(joinReference('a', '["odd key"]')).toBe('a["odd key"]')
})
