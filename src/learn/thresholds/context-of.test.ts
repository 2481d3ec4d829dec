import { expect, it } from 'vitest'
import { formatToolId } from '../../model/tool.js'
import { contextOf } from './context-of.js'
import { workflowTypeOf } from './workflow-type-of.js'

const tasks = (...servers: string[]) => servers.map((server) => ({ tool: formatToolId(server, 'do') }))

it('a workflow reads where all of its tools are safe, and writes where none is', () => {
  expect(workflowTypeOf(['safe', 'safe'])).toBe('read')
  expect(workflowTypeOf(['moderate', 'dangerous'])).toBe('write')
  expect(workflowTypeOf(['safe', 'dangerous'])).toBe('mixed')
  expect(workflowTypeOf([])).toBe('read')
})

it('a context is type, domain and complexity', () => {
  expect(contextOf({ tasks: tasks('files'), risks: ['safe'] })).toBe('read|files|1')
  expect(contextOf({ tasks: tasks('files', 'files'), risks: ['safe', 'moderate'] })).toBe('mixed|files|2-4')
  expect(contextOf({ tasks: tasks('files', 'git', 'git', 'git'), risks: ['moderate'] })).toBe(
    'write|several|2-4',
  )
  expect(contextOf({ tasks: tasks('a', 'a', 'a', 'a', 'a'), risks: ['safe'] })).toBe('read|a|5+')
  expect(contextOf({ tasks: [], risks: [] })).toBe('read|several|1')
})
