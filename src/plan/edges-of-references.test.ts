import { describe, expect, it } from 'vitest'
import type { ArgumentOrigin, Plan } from '../model/plan.js'
import type { ToolId } from '../model/tool.js'
import { edgesOfReferences } from './edges-of-references.js'

const task = (id: string, args: object, dependsOn: readonly string[]) => ({
  id,
  tool: `s:${id}` as ToolId,
  arguments: args as Plan['tasks'][number]['arguments'],
  dependsOn,
  onError: 'fail' as const,
})
const origin = (argument: string, confidence: number): ArgumentOrigin => ({
  task: 'save',
  argument,
  source: 'wired',
  confidence,
  why: '',
})
const plan: Plan = {
  tasks: [
    task('list', {}, []),
    task('read', {}, ['list']),
    task('save', { entities: [{ name: { $from: 'list[*]' }, notes: [{ $from: 'read[*].text' }] }] }, [
      'list',
      'read',
    ]),
  ],
}
const weighed = [
  { from: 'list', to: 'read', probability: 0.9, parts: {}, fields: [], why: '' },
  { from: 'read', to: 'save', probability: 0.8, parts: {}, fields: [], why: '' },
]

describe('edges of references', () => {
  it('are those that nobody weighed, as sure as the argument', () => {
    const origins = [origin('entities[0].name', 0.6), origin('entities[0].notes', 0.8)]
    const [edge, ...others] = edgesOfReferences(plan, weighed, origins)
    expect(others).toEqual([])
    expect(edge).toMatchObject({ from: 'list', to: 'save', probability: 0.6 })
    expect(1 / (1 + Math.exp(-edge!.parts.argument!))).toBeCloseTo(0.6)
  })

  it('stay finite where nobody accounts for them', () => {
    const [first] = edgesOfReferences(plan, [], [])
    expect(first).toMatchObject({ from: 'list', to: 'read', probability: 0.01 })
  })
})
