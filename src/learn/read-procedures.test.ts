import { describe, expect, it } from 'vitest'
import { codeTool } from '../model/capability.js'
import type { JsonObject } from '../model/json.js'
import type { Plan } from '../model/plan.js'
import type { Run, TaskOutcome } from '../model/run.js'
import { formatToolId, type ToolId } from '../model/tool.js'
import { asCapabilities, readProcedures } from './read-procedures.js'

const read = formatToolId('files', 'read')
const write = formatToolId('files', 'write')
const cap = formatToolId('cap', 'count-lines-00beef')
const noon = Date.UTC(2026, 0, 15, 12)

const names: Readonly<Record<string, ToolId>> = {
  'files:read': read,
  files__read: read,
  'files:write': write,
  count_lines: cap,
}
const options = { resolve: (_: string, name: string): ToolId | undefined => names[name] }

function planOf(code: string, args: JsonObject = {}): Plan {
  return {
    tasks: [
      { id: 'code', tool: codeTool, arguments: args, dependsOn: [], onError: 'fail', program: { code } },
    ],
  }
}
const task = (id: string, tool: ToolId, changes: Partial<TaskOutcome> = {}): TaskOutcome => ({
  ...{ id, tool, arguments: {}, status: 'complete', result: 'text', startedAt: noon, ms: 10 },
  ...(id.endsWith(']') && { parent: id.slice(0, id.lastIndexOf('[')) }),
  ...changes,
})
const runOf = (...tasks: readonly TaskOutcome[]): Run => ({
  id: 'run',
  status: 'complete',
  tasks,
  startedAt: noon,
  endedAt: noon + 100,
})
const shown = (code: string, ...tasks: readonly TaskOutcome[]) =>
  readProcedures(planOf(code), runOf(...tasks), options).code[0]

const twoCalls =
  'const t = await tools.files.read({ path: "a" })\nawait tools.files.write({ path: "b", text: t })\nreturn 1'

describe('code that ran', () => {
  it('is a procedure with its literals lifted, its tools and its times', () => {
    const one = shown(
      twoCalls,
      task('code', codeTool, { result: 1, ms: 50 }),
      task('code[0]', read, { ms: 20 }),
      task('code[1]', write, { ms: 15 }),
    )
    expect(one).toMatchObject({
      task: 'code',
      arguments: { path: 'a', path2: 'b' },
      tools: [read, write],
      calls: [],
      use: { at: noon + 50, success: true, ms: 50, callsMs: 35 },
      value: 1,
      isWorthKeeping: true,
    })
    expect(one?.lifted.code).not.toContain('"a"')
  })

  it('has the same structure whatever its names, its literals, and the form in which its tools are named', () => {
    const done = [task('code', codeTool), task('code[0]', read), task('code[1]', write)]
    const one = shown(twoCalls, ...done)
    const other = shown(
      'const text = await tools.files.read({ path: "x" }); await tools.files.write({ text, path: "y" }); return 1',
      ...done,
    )
    const bracketed = shown(twoCalls.replace('tools.files.read', 'tools["files__read"]'), ...done)
    expect(other?.lifted.structure).toBe(one?.lifted.structure)
    expect(bracketed?.lifted.structure).toBe(one?.lifted.structure)
    const third = shown(twoCalls.replace('return 1', 'return t.length'), ...done)
    expect(third?.lifted.structure).not.toBe(one?.lifted.structure)
  })

  it('counts a capability that it calls as one, and not what that one calls', () => {
    const one = shown(
      'const n = await capabilities.count_lines({ path: "a" }); return n * 2',
      task('code', codeTool, { result: 4 }),
      task('code[0]', cap, { result: 2, ms: 9 }),
      task('code[0][0]', read, { ms: 7 }),
    )
    expect(one).toMatchObject({ tools: [], calls: [cap], use: { callsMs: 9 }, isWorthKeeping: true })
  })

  it('is not worth keeping where it gives what its only call gave, or calls nothing', () => {
    const single = 'return await tools.files.read({ path: "a" })'
    const same = shown(single, task('code', codeTool), task('code[0]', read))
    expect(same?.isWorthKeeping).toBe(false)
    const less = shown(
      `${single}.slice(0, 2)`,
      task('code', codeTool, { result: 'te' }),
      task('code[0]', read),
    )
    expect(less?.isWorthKeeping).toBe(true)
    expect(shown('return 1', task('code', codeTool, { result: 1 }))?.isWorthKeeping).toBe(false)
  })

  it('has not succeeded where one of its calls failed, caught or not, however deep', () => {
    const error = { code: 'TOOL_ERROR', message: 'no', hint: '' }
    const failed = { status: 'failed', error } as const
    const caught = shown(twoCalls, task('code', codeTool), task('code[0]', read, failed))
    expect(caught?.use.success).toBe(false)
    const deep = shown(
      twoCalls,
      task('code', codeTool),
      task('code[0]', cap),
      task('code[0][0]', read, failed),
    )
    expect(deep?.use.success).toBe(false)
    const other = shown(
      twoCalls,
      task('code', codeTool),
      task('code[0]', read),
      task('code2[0]', read, failed),
    )
    expect(other?.use.success).toBe(true)
  })

  it('shows nothing where it was cut off by somebody', () => {
    for (const code of ['CODE_ABORTED', 'ABORTED', 'NOT_APPROVED'])
      expect(
        shown(
          twoCalls,
          task('code', codeTool, { status: 'failed', error: { code, message: '', hint: '' } }),
          task('code[0]', read),
        ),
      ).toBeUndefined()
    expect(shown(twoCalls, task('code', codeTool, { status: 'aborted' }))).toBeUndefined()
  })

  it('says nothing where a person refused one of its calls', () => {
    const refused = {
      status: 'failed',
      error: { code: 'NOT_APPROVED', message: 'files:write was not called: rejected.', hint: '' },
    } as const
    const { startedAt: _, ms: __, result: ___, ...never } = task('code[1]', write, refused)
    const failed = task('code', codeTool, {
      status: 'failed',
      error: { code: 'CODE_FAILED', message: 'Line 2: CallError NOT_APPROVED: rejected.', hint: '' },
    })
    expect(shown(twoCalls, failed, task('code[0]', read), never)?.use.success ?? 'nothing').toBe('nothing')
    expect(shown(twoCalls, task('code', codeTool), never)?.use.success ?? 'nothing').toBe('nothing')
  })
})

describe('a capability that ran', () => {
  it('was used, at whatever depth; the run was for it only where it stands alone', () => {
    const alone = readProcedures(
      { tasks: [{ id: 'run', tool: cap, arguments: {}, dependsOn: [], onError: 'fail' }] },
      runOf(task('run', cap, { result: 3, ms: 30 }), task('run[0]', read, { ms: 12 })),
      options,
    )
    expect(alone).toEqual({
      code: [],
      uses: [
        {
          id: cap,
          task: 'run',
          use: { at: noon + 30, success: true, ms: 30, callsMs: 12 },
          value: 3,
          isWhole: true,
        },
      ],
    })
    const within = readProcedures(
      planOf('return 2 * await capabilities.count_lines({ path: "a" })'),
      runOf(task('code', codeTool), task('code[0]', cap), task('code[0][0]', read)),
      options,
    )
    expect(within.uses).toMatchObject([{ id: cap, task: 'code[0]', use: { success: true } }])
  })

  it('that was never begun was not used', () => {
    const { startedAt: _, ms: __, ...pending } = task('run', cap, { status: 'skipped' })
    expect(readProcedures({ tasks: [] }, runOf(pending), options).uses).toEqual([])
  })
})

it('a run of code that is known is a run of that capability, called with what its literals were', () => {
  const plan = planOf(twoCalls)
  const run = runOf(task('code', codeTool), task('code[0]', read))
  const as = asCapabilities(plan, run, new Map([['code', { id: cap, arguments: { path: 'a' } }]]))
  expect(as.plan.tasks[0]).toMatchObject({ id: 'code', tool: cap, arguments: { path: 'a' } })
  expect(as.run.tasks).toMatchObject([
    { id: 'code', tool: cap, arguments: { path: 'a' } },
    { id: 'code[0]', tool: read },
  ])
  expect(asCapabilities(plan, run, new Map())).toEqual({ plan, run })
})
