import { describe, expect, it } from 'vitest'
import { newId } from '../model/new-id.js'
import { formatToolId } from '../model/tool.js'
import { observeTraces } from './observe-traces.js'
import { createSessionTraces, type EndedCall } from './trace-call.js'

const redact = (text: string): string => text.replaceAll('hunter2', '[redacted]')

function aCall(tool: string, more: Partial<EndedCall> & { readonly at: number }): EndedCall {
  const { at, ...rest } = more
  return {
    id: newId(),
    session: 'one',
    tool: formatToolId('s', tool),
    arguments: {},
    startedAt: at,
    endedAt: at + 10,
    ...rest,
  }
}

const edges = (traces: Parameters<typeof observeTraces>[0]): readonly string[] =>
  observeTraces(traces).map(
    ({ from, to, type, success }) => `${from} ${type} ${to}${success ? '' : ' failed'}`,
  )

describe('calls that a client makes by itself', () => {
  it('are a lesson each: what followed what, and where values came from', () => {
    const sessions = createSessionTraces({ redact })
    const found = sessions.trace(aCall('search', { at: 0, result: () => ({ items: [{ id: 'ORD-77123' }] }) }))
    const ping = sessions.trace(aCall('ping', { at: 20 }))
    const got = sessions.trace(aCall('get', { at: 40, arguments: { order: 'ORD-77123' } }))
    expect(found.follows).toBeUndefined()
    expect(edges([found])).toEqual([])
    expect(edges([ping])).toEqual(['s:search sequence s:ping'])
    expect(edges([got]).toSorted()).toEqual(['s:ping sequence s:get', 's:search provides s:get'])
    expect(got.links).toEqual([{ from: found.id, resultPath: 'items[0].id', argumentPath: 'order' }])
    expect(got.parentId).toBeUndefined()
    expect(got.runId).toBe('one')
  })

  it('of another session, or long after, follow nothing', () => {
    const sessions = createSessionTraces({ redact })
    sessions.trace(aCall('a', { at: 0 }))
    expect(sessions.trace(aCall('b', { at: 20, session: 'two' })).follows).toBeUndefined()
    expect(sessions.trace(aCall('b', { at: 11 * 60_000 })).follows).toBeUndefined()
  })

  it('that were made at the same time do not follow one another', () => {
    const sessions = createSessionTraces({ redact })
    sessions.trace(aCall('a', { at: 0, endedAt: 100 }))
    expect(sessions.trace(aCall('b', { at: 50, endedAt: 120 })).follows).toBeUndefined()
    expect(edges([sessions.trace(aCall('c', { at: 110, endedAt: 130 }))])).toEqual(['s:a sequence s:c'])
  })

  it('keep no secret, and no result of a failure', () => {
    const sessions = createSessionTraces({ redact })
    const trace = sessions.trace(
      aCall('login', {
        at: 0,
        arguments: { password: 'hunter2' },
        errorCode: 'TOOL_ERROR',
        result: () => ({ echo: 'hunter2' }),
      }),
    )
    expect(JSON.stringify(trace)).not.toContain('hunter2')
    expect(trace).toMatchObject({ success: false, errorCode: 'TOOL_ERROR' })
    expect(trace.result).toBeUndefined()
  })

  it('a session that ended is forgotten', () => {
    const sessions = createSessionTraces({ redact })
    sessions.trace(aCall('a', { at: 0 }))
    sessions.endSession('one')
    expect(sessions.trace(aCall('b', { at: 20 })).follows).toBeUndefined()
  })
})
