import { expect, it } from 'vitest'
import { makeTool } from './make-tool.contract.js'
import { nameTasks } from './name-tasks.js'
import { planTasks } from './plan-tasks.js'

const name = (
  names: readonly string[],
  taken: readonly string[] = [],
  done: Readonly<Record<number, string>> = {},
) =>
  nameTasks(
    names.map((one, at) => ({
      tool: makeTool(`s:${one}`),
      ...(done[at] !== undefined && { done: done[at] }),
    })),
    new Set(taken),
  )

it('a task is called like its tool, a second one by number', () => {
  expect(name(['read', 'send', 'read', 'read'])).toEqual(['read', 'send', 'read_2', 'read_3'])
})

it('what is done keeps its name, and nobody else gets it', () => {
  expect(name(['read', 'read'], [], { 1: 'read' })).toEqual(['read_2', 'read'])
})

it('names that are taken are not given', () => {
  expect(name(['read', 'read'], ['read', 'read_2'])).toEqual(['read_3', 'read_4'])
})

it('any name of a tool makes a legal id', () => {
  const odd = [
    'files.read',
    'a b',
    'x[0]',
    '日本語',
    '🎉',
    '',
    '...',
    '𝒜'.repeat(80),
    'x'.repeat(500),
    '__proto__',
  ]
  const ids = name(odd)
  const tool = makeTool('s:t')
  expect(
    planTasks(
      ids.map((id) => ({ id, tool: 's:t' })),
      { resolve: () => tool },
    ).tasks.map(({ id }) => id),
  ).toEqual(ids)
  for (const id of ids) expect(id.isWellFormed?.() ?? true).toBe(true)
})
