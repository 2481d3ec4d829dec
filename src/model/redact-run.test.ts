import { expect, it } from 'vitest'
import { createRedact } from './redact.js'
import { redactRun } from './redact-run.js'
import { formatToolId } from './tool.js'

it('a run loses its secrets, in keys too, and nothing that it is made of', () => {
  const redact = createRedact(['hunter2-long', 'complete', 'result', 'FAILED'])
  const run = {
    id: 'hunter2-long',
    intent: 'use hunter2-long',
    status: 'complete' as const,
    startedAt: 1,
    tasks: [
      {
        id: 'complete[0]',
        parent: 'complete',
        tool: formatToolId('files', 'result'),
        arguments: { 'hunter2-long': 'hunter2-long' },
        status: 'complete' as const,
        result: [{ 'hunter2-long': 1 }],
        error: { code: 'FAILED', message: 'hunter2-long', hint: 'not hunter2-long' },
      },
    ],
  }
  expect(redactRun(run, redact)).toEqual({
    ...run,
    intent: 'use [redacted]',
    tasks: [
      {
        ...run.tasks[0],
        arguments: { '[redacted]': '[redacted]' },
        result: [{ '[redacted]': 1 }],
        error: { code: 'FAILED', message: '[redacted]', hint: 'not [redacted]' },
      },
    ],
  })
})
