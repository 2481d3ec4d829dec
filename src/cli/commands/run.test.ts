import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import type { TaskOutcome } from '../../model/run.js'
import { formatToolId } from '../../model/tool.js'
import { main } from '../main.js'

function element(place: number, fields: Partial<TaskOutcome>): TaskOutcome {
  const tool = formatToolId('files', 'read')
  return { id: `read[${place}]`, parent: 'read', tool, arguments: {}, status: 'complete', ...fields }
}

it('a task done for each is one line with its elements counted, and a line for each of the first errors', async () => {
  const error = { code: 'TOOL_ERROR', message: 'No such file.', hint: 'Look.' }
  const { id: _, parent: __, ...read } = element(0, {})
  const whole = { code: 'ELEMENTS_FAILED', message: '1 of 2 elements failed.', hint: 'Look.' }
  const tasks = [
    { ...read, id: 'read', status: 'failed', error: whole },
    element(0, { result: 'a' }),
    element(1, { status: 'failed', error }),
    { ...read, id: 'list', result: ['a', 'b'] },
  ]
  const { code, stdout } = await pmlRun({ id: 'r', status: 'partial_failure', startedAt: 0, tasks })
  expect(stdout.split('\n').slice(1, 4)).toEqual([
    'read       files:read  failed          [1 of 2 complete, 1 failed] 1 of 2 elements failed. Look.',
    '  read[1]                              No such file. Look.',
    'list       files:read  complete        ["a","b"]',
  ])
  expect(code).toBe(1)
})

/** `pml run` on a gateway that answers with this run. */
async function pmlRun(run: object): Promise<{ readonly code: number; readonly stdout: string }> {
  let stdout = ''
  const write = (text: string): void => {
    stdout += text
  }
  const stdin = Object.assign(Readable.from([Buffer.from('{"tasks": []}')]), { isTTY: false })
  const io = { stdin, stdout: { write }, stderr: { write }, env: {}, cwd: '/' }
  const never = async (): Promise<never> => Promise.reject(new Error('not asked for'))
  const code = await main(['run', '-'], io, {
    withGateway: (_, use) => use({ get: async () => run, post: async () => run }),
    serveStdioClient: never,
    openHttpFront: never,
  })
  return { code, stdout }
}
