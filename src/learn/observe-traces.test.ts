import { describe, expect, it } from 'vitest'
import { formatToolId } from '../model/tool.js'
import type { Trace } from '../model/trace.js'
import { observeTraces } from './observe-traces.js'

const run: Trace = {
  id: 'run',
  runId: 'run',
  success: true,
  startedAt: 0,
  endedAt: 1000,
  dependsOn: [],
  links: [],
}

/** `read.2` is a second call of the tool `read`. */
function call(id: string, fields: Partial<Trace> = {}): Trace {
  const tool = formatToolId('t', id.split('.')[0]!)
  return { ...run, id, parentId: 'run', tool, startedAt: 10, endedAt: 20, ...fields }
}

function link(from: string) {
  return { from, resultPath: 'id', argumentPath: 'id' }
}

function seen(...calls: Trace[]): readonly string[] {
  return observeTraces([run, ...calls]).map(
    ({ from, to, type, success }) => `${from.slice(2)} ${type} ${to.slice(2)}${success ? '' : ' failed'}`,
  )
}

describe('what a run shows', () => {
  it('a declared dependency, data that flowed, and the order of layers, each as an edge of its own', () => {
    const found = seen(
      call('list'),
      call('read', { dependsOn: ['list'], links: [link('list')] }),
      call('sum', { dependsOn: ['read'], links: [link('list')] }),
    )
    expect(found).toEqual([
      'list dependency read',
      'list provides read',
      'read dependency sum',
      'list provides sum',
      'list sequence read',
      'read sequence sum',
    ])
  })

  it('a call made by a call is contained in it; a run contains nothing, as it is no tool', () => {
    const found = seen(call('code'), call('read', { parentId: 'code' }), call('sum', { parentId: 'code' }))
    expect(found).toEqual(['code contains read', 'code contains sum'])
  })

  it('every tool of a layer comes before every tool of the next, and layers further apart are not paired', () => {
    const found = seen(
      call('a'),
      call('b'),
      call('c', { dependsOn: ['a', 'b'] }),
      call('d', { dependsOn: ['a'] }),
      call('e', { dependsOn: ['c'] }),
    )
    expect(found.filter((text) => text.includes('sequence')).toSorted()).toEqual([
      'a sequence c',
      'a sequence d',
      'b sequence c',
      'b sequence d',
      'c sequence e',
      'd sequence e',
    ])
  })

  it('where nothing is declared, time says what came first; what overlapped is one layer', () => {
    const found = seen(
      call('d', { startedAt: 40, endedAt: 50 }),
      call('a', { startedAt: 10, endedAt: 30 }),
      call('b', { startedAt: 15, endedAt: 40 }),
      call('c', { startedAt: 35, endedAt: 38 }),
      call('e', { startedAt: 60, endedAt: 60 }),
      call('f', { startedAt: 60, endedAt: 60 }),
    )
    expect(found).toEqual([
      ...['a sequence d', 'b sequence d', 'c sequence d'],
      ...['d sequence e', 'd sequence f'],
    ])
  })

  it('an edge is one observation, and a success only where every later call succeeded', () => {
    const found = seen(
      call('list'),
      call('read.1', { dependsOn: ['list'] }),
      call('read.2', { dependsOn: ['list'], success: false, errorCode: 'X' }),
      call('read.3', { dependsOn: ['list'] }),
    )
    expect(found).toEqual(['list dependency read failed', 'list sequence read failed'])
  })

  it('a call that was cut off says nothing about those before it', () => {
    const cut = { success: false, errorCode: 'ABORTED' }
    expect(seen(call('a'), call('b', { dependsOn: ['a'], ...cut }))).toEqual([])
    expect(
      seen(call('a'), call('b.1', { dependsOn: ['a'], ...cut }), call('b.2', { dependsOn: ['a'] })),
    ).toEqual(['a dependency b', 'a sequence b'])
  })

  it('no tool is paired with itself, and what is not in the run is left out', () => {
    const found = seen(
      call('page.1'),
      call('page.2', { dependsOn: ['page.1', 'gone'], links: [link('page.1'), link('gone')] }),
    )
    expect(found).toEqual([])
    expect(observeTraces([])).toEqual([])
    expect(observeTraces([run])).toEqual([])
  })

  it('all of it has the time of the run, so that a replay gives the same', () => {
    const observations = observeTraces([run, call('a'), call('b', { dependsOn: ['a'] })])
    expect(new Set(observations.map(({ at }) => at))).toEqual(new Set([1000]))
  })
})

it('layers of a thousand tools make thousands of edges, not millions', () => {
  const first = Array.from({ length: 1000 }, (_, at) => call(`a${at}`))
  const second = Array.from({ length: 1000 }, (_, at) => call(`b${at}`, { dependsOn: [`a${at}`] }))
  const begin = performance.now()
  const observations = observeTraces([run, ...first, ...second])
  expect(performance.now() - begin).toBeLessThan(500)
  expect(observations.filter(({ type }) => type === 'sequence')).toHaveLength(32 * 32)
  expect(observations.filter(({ type }) => type === 'dependency')).toHaveLength(1000)
  const all = first.slice(0, 100).map(({ id }) => id)
  expect(observeTraces([run, ...first, ...second.map((one) => ({ ...one, dependsOn: all }))])).toHaveLength(
    5_000,
  )
})
