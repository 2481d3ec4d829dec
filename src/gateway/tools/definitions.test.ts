import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { expect, it } from 'vitest'
import { definitionText } from '../../model/tool.js'
import { metaToolDefinitions, metaToolName, metaToolTokens } from './definitions.js'

it('our whole list takes the o200k tokens we say, within the 900 that are promised', () => {
  const tokens = metaToolDefinitions.map((definition) => encode(definitionText(definition)).length)
  expect(tokens.reduce((sum, one) => sum + one, 0)).toBe(metaToolTokens)
  expect(metaToolTokens).toBeLessThanOrEqual(900)
})

it('our tools stand in a fixed order', () => {
  expect(metaToolDefinitions.map(({ name }) => name)).toEqual([
    'discover',
    'execute_workflow',
    'execute_code',
    'control_workflow',
  ])
})

it.each([
  ['discover', 'discover'],
  ['pml:execute_workflow', 'execute_workflow'],
  ['pml__execute_code', 'execute_code'],
  ['mcp__pml__control_workflow', 'control_workflow'],
  ['other:discover', undefined],
  ['pml:', undefined],
])('%s means %s', (name, meant) => {
  expect(metaToolName(name)).toBe(meant)
})
