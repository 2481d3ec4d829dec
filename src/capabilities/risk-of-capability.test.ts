import { expect, it } from 'vitest'
import type { Risk } from '../model/risk.js'
import { parseToolId, type ToolId } from '../model/tool.js'
import { riskOfCapability } from './risk-of-capability.js'
import { capability, capId, shelfOf, toolId } from './test-shelf.contract.js'

/** A tool's server says how bad it is. */
const riskOf = (tool: ToolId): Risk => parseToolId(tool)!.server as Risk
const judge = (...capabilities: Parameters<typeof shelfOf>[0][number][]) =>
  riskOfCapability(capId('top'), { riskOf, isOpen: false, shelf: shelfOf(capabilities) })
const safe = capability('safe', { tools: [toolId('safe:read')] })

it('is the highest of its tools, those of what it calls included, and says which', () => {
  expect(judge(capability('top', { tools: [toolId('safe:read')] }))).toEqual({
    risk: 'safe',
    why: 'All of its tools are safe.',
    isByTool: true,
  })
  expect(
    judge(
      capability('top', { tools: [toolId('moderate:write')], calls: [capId('middle')] }),
      capability('middle', { calls: [capId('bottom')] }),
      capability('bottom', { tools: [toolId('dangerous:delete')], calls: [capId('top')] }),
    ),
  ).toEqual({ risk: 'dangerous', why: 'It calls dangerous:delete, which is dangerous.', isByTool: true })
  expect(judge(capability('top'))).toEqual({ risk: 'safe', why: 'It calls no tool.', isByTool: true })
})

it.each([
  [8, 10, 'moderate'],
  [9, 10, 'safe'],
  [4, 8, 'moderate'],
  [3, 8, 'dangerous'],
] as const)('with %d successes of %d, of what it needs or its own, it is %s', (successes, uses, risk) => {
  expect(judge(capability('top', { calls: [safe.id] }), { ...safe, successes, uses }).risk).toBe(risk)
  expect(judge(capability('top', { tools: safe.tools, successes, uses })).risk).toBe(risk)
})

it('its own first uses raise nothing', () => {
  expect(judge(capability('top', { tools: safe.tools, successes: 1, uses: 1 })).risk).toBe('safe')
})

it('is never lowered by reliability', () => {
  expect(judge(capability('top', { tools: [toolId('dangerous:x')], successes: 99, uses: 99 })).risk).toBe(
    'dangerous',
  )
})

it('what is not there is not safe', () => {
  expect(judge().risk).toBe('moderate')
  expect(judge(capability('top', { calls: [capId('gone')] })).risk).toBe('dangerous')
})

it('one whose calls cannot all be seen beforehand is moderate at least', () => {
  const shelf = shelfOf([capability('top', { tools: [toolId('safe:read')] })])
  expect(riskOfCapability(capId('top'), { riskOf, isOpen: true, shelf })).toMatchObject({
    risk: 'moderate',
    isByTool: false,
  })
})
