import { describe, expect, it } from 'vitest'
import { ToolAnsweredError } from '../errors.js'
import type { ToolResult } from '../model/tool-call.js'
import { taskResult } from './task-result.js'

const text = (value: string) => ({ type: 'text', text: value })

describe('taskResult', () => {
  it.each<[string, ToolResult, unknown]>([
    ['structured content first', { content: [text('{"a":1}')], structuredContent: { b: 2 } }, { b: 2 }],
    ['one text that is a JSON object, parsed', { content: [text(' {"a":1}\n')] }, { a: 1 }],
    ['one text that is a JSON array, parsed', { content: [text('[1,2]')] }, [1, 2]],
    ['a text that only looks like JSON as text', { content: [text('{not json')] }, '{not json'],
    ['a bare number as text', { content: [text('42')] }, '42'],
    ['several texts joined', { content: [text('{"a":1}'), text('two')] }, '{"a":1}\ntwo'],
    ['nothing as empty text', { content: [] }, ''],
    ['null structured content as none', { content: [text('x')], structuredContent: null }, 'x'],
    ['an answer without content', { structuredContent: [1] } as unknown as ToolResult, [1]],
    [
      'an image without its bytes',
      { content: [text('chart'), { type: 'image', mimeType: 'image/png', data: 'AAECAw==' }] },
      { text: 'chart', content: [{ type: 'image', mimeType: 'image/png', bytes: 4 }] },
    ],
    [
      'an embedded resource with its text',
      {
        content: [{ type: 'resource', resource: { uri: 'file:///a', mimeType: 'text/plain', text: 'body' } }],
      },
      { text: '', content: [{ type: 'resource', mimeType: 'text/plain', uri: 'file:///a', text: 'body' }] },
    ],
    [
      'an embedded blob as a count',
      { content: [{ type: 'resource', resource: { uri: 'file:///a', blob: 'AAEC' } }] },
      { text: '', content: [{ type: 'resource', uri: 'file:///a', bytes: 3 }] },
    ],
    [
      'blocks of types we do not know',
      { content: [{ type: 'hologram', depth: 3 }, null as never] },
      { text: '', content: [{ type: 'hologram' }, { type: 'undefined' }] },
    ],
  ])('takes %s', (_, result, expected) => {
    expect(taskResult('s:t', result)).toEqual(expected)
  })

  it('throws what a tool calls an error, in its words, cut at 4,000 characters', () => {
    const answer = { content: [text('x'.repeat(9_000))], isError: true }
    const error = catchError(() => taskResult('s:t', answer))
    expect(error).toBeInstanceOf(ToolAnsweredError)
    expect(error).toMatchObject({ code: 'TOOL_ERROR', toolId: 's:t' })
    expect((error as Error).message).toHaveLength(4_003)
  })

  it('says so when a failing tool gives no text', () => {
    const error = catchError(() => taskResult('s:t', { content: [], isError: true }))
    expect((error as Error).message).toBe('s:t answered with an error and no text.')
  })
})

function catchError(action: () => unknown): unknown {
  try {
    action()
  } catch (error) {
    return error
  }
  return undefined
}

it('a result too deep to be written down is an error of its tool', () => {
  const text = '['.repeat(20_000) + ']'.repeat(20_000)
  expect(() => taskResult('deep:tool', { content: [{ type: 'text', text }] })).toThrow(/levels deep/)
})
