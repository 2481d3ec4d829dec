import { NotYetError } from '../../errors.js'
import type { ToolDefinition } from '../../model/tool.js'
import type { MetaTool } from './meta-tool.js'

export const executeCodeDefinition: ToolDefinition = {
  name: 'execute_code',
  description: 'Run TypeScript that calls tools. Not available in this version: use execute_workflow.',
  inputSchema: {
    type: 'object',
    properties: { code: { type: 'string' }, intent: { type: 'string' }, arguments: { type: 'object' } },
    required: ['code'],
  },
  annotations: { title: 'Run code' },
}

export function createExecuteCode(): MetaTool {
  return {
    definition: executeCodeDefinition,
    async call() {
      throw new NotYetError(
        'execute_code',
        'Use execute_workflow: tasks run in parallel and pass results on with {"$from": "taskId.path"}.',
      )
    },
  }
}
