import { expect, it } from 'vitest'
import { createRedact } from './redact.js'
import { redactCommand, redactRun } from './redact-run.js'
import type { RunCommand } from './run-command.js'
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

const tool = formatToolId('files', 'result')
const task = { id: 'complete', tool, dependsOn: ['complete'] }
it.each<[RunCommand, unknown]>([
  [{ type: 'pause' }, {}],
  [{ type: 'resume' }, {}],
  [{ type: 'continue', through: true }, {}],
  [{ type: 'retry', task: 'complete' }, {}],
  [{ type: 'abort', reason: 'for hunter2-long' }, { reason: 'for [redacted]' }],
  [{ type: 'skip', task: 'complete', reason: 'for hunter2-long' }, { reason: 'for [redacted]' }],
  [{ type: 'skip', task: 'complete' }, {}],
  [
    { type: 'modify', task: 'complete', arguments: { 'hunter2-long': 'hunter2-long' } },
    { arguments: { '[redacted]': '[redacted]' } },
  ],
  [
    {
      type: 'replan',
      requirement: 'use hunter2-long',
      tasks: [{ ...task, arguments: { key: 'hunter2-long' }, onError: { default: ['hunter2-long'] } }],
    },
    {
      requirement: 'use [redacted]',
      tasks: [{ ...task, arguments: { key: '[redacted]' }, onError: { default: ['[redacted]'] } }],
    },
  ],
  [
    { type: 'inject', tasks: [{ ...task, arguments: { key: 'hunter2-long' }, onError: 'fail' }] },
    { tasks: [{ ...task, arguments: { key: '[redacted]' }, onError: 'fail' }] },
  ],
  [
    {
      type: 'decide',
      decision: 'complete',
      answer: { verdict: 'reject', by: 'command line', reason: 'hunter2-long', at: 1 },
    },
    { answer: { verdict: 'reject', by: 'command line', reason: '[redacted]', at: 1 } },
  ],
])('a command loses its secrets, and nothing that it names: %j', (command, changes) => {
  const redact = createRedact(['hunter2-long', 'complete', 'result', 'replan', 'inject', 'reject'])
  expect(redactCommand(command, redact)).toEqual({ ...command, ...(changes as object) })
})
