import { describe, expect, it } from 'vitest'
import { isNeverAhead } from './is-never-ahead.js'
import type { ToolAnnotations } from './tool.js'

function never(name: string, annotations?: ToolAnnotations): boolean {
  return isNeverAhead({ name, definition: { name, inputSchema: {}, ...(annotations && { annotations }) } })
}

describe('what is never run before it is asked for', () => {
  it.each([
    ...[
      'delete_file',
      'dropTable',
      'git-reset',
      'format',
      'get_order',
      'SendMail',
      'list_and_post',
      'run_query',
    ],
    ...[
      'set',
      'store',
      'search_and_book',
      'HTTPPost',
      'start',
      'get_call',
      'browser.execute',
      'rollback',
      'DELETE',
    ],
  ])('has a whole word of the list in its name: %s', (name) => {
    expect(never(name)).toBe(true)
    expect(never(name, { readOnlyHint: true })).toBe(true)
  })

  it.each<ToolAnnotations>([
    { readOnlyHint: false },
    { readOnlyHint: false, destructiveHint: false },
    { destructiveHint: true },
    { readOnlyHint: true, destructiveHint: true },
  ])('is said to do more than read: %j', (annotations) => {
    expect(never('read_file', annotations)).toBe(true)
  })

  it.each([
    'read_file',
    'get_settings',
    'list_orders',
    'thread',
    'stored',
    'search',
    'caller',
    '',
    '文件',
  ])('no other is held back: %s', (name) => {
    expect(never(name)).toBe(false)
    expect(never(name, { readOnlyHint: true })).toBe(false)
  })
})
