/** What strangers ran into, each once. */
import { describe, expect, it } from 'vitest'
import type { Tool } from '../model/tool.js'
import { argumentsOf, edgesOf, handMade, openTestPlanner } from './test-planner.contract.js'

const planner = openTestPlanner()
/** The same tools, as servers annotate them: those that write say so. */
const annotated = handMade.map((tool): Tool => {
  const readOnlyHint = !/write|delete|send|create|close|label|archive|reserve/.test(tool.name)
  return { ...tool, definition: { ...tool.definition, annotations: { readOnlyHint } } }
})
const careful = openTestPlanner(annotated)

describe('values', () => {
  it('go where their kind is asked for: a quoted text is no path where a path is there', async () => {
    const plan = await planner.planFor('write "hello" to a.txt')
    expect(argumentsOf(plan)).toEqual({ write_file: { path: 'a.txt', content: 'hello' } })
  })

  it('named by what a tool is about are its name, not its type', async () => {
    const { missing, ...plan } = await planner.planFor('create the entity Bob')
    expect(argumentsOf({ ...plan, missing })).toEqual({ create_entities: { entities: [{ name: 'Bob' }] } })
    expect(missing.map(({ argument }) => argument)).toContain('entities[0].entityType')
  })

  it('of a list that a tool takes one by one are a call each', async () => {
    const plan = await planner.planFor('read notes.md, other.md and third.md')
    expect(argumentsOf(plan)).toEqual({
      read_file: { path: 'notes.md' },
      read_file_2: { path: 'other.md' },
      read_file_3: { path: 'third.md' },
    })
    expect(plan.edges).toEqual([])
  })

  it('that nothing takes are named, and make the plan less sure', async () => {
    const both = await planner.planFor('read notes.md with "care"')
    const one = await planner.planFor('read notes.md')
    expect(both.notes).toContain('Nothing takes "care" of the request.')
    expect(both.confidence).toBeLessThan(one.confidence * 0.9)
  })
})

describe('what is not understood', () => {
  it('is unserved also where nobody knows the verb', async () => {
    const { unserved } = await planner.planFor('read notes.md; rm -rf /')
    expect(unserved).toEqual(['rm -rf /'])
  })

  it('is not what only tells something', async () => {
    const { unserved } = await planner.planFor('send "hi" to ann@example.com. Her birthday is today.')
    expect(unserved).toEqual([])
  })

  it('because there is too much of it is said', async () => {
    const { unserved } = await planner.planFor('read notes.md and '.repeat(60))
    expect(unserved.join()).toContain('say it in a request of its own')
  })
})

describe('a tool that writes', () => {
  it('comes before one of its server that the request speaks of later', async () => {
    const plan = await careful.planFor('write "hello" to a.txt and then read a.txt')
    expect(edgesOf(plan)).toEqual(['write_file -> read_file'])
    expect(plan.layers).toEqual([['write_file'], ['read_file']])
  })

  it('and would write to one place for each is noted, and never sure', async () => {
    const plan = await careful.planFor(
      'list the files in data, read each one and write their content to all.txt',
    )
    expect(plan.notes).toContain('write_file would be called for each with the same path.')
    expect(plan.confidence).toBeLessThan(0.7)
  })
})
