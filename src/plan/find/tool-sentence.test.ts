import { expect, it } from 'vitest'
import { makeTool } from '../make-tool.contract.js'
import { toolSentence } from './tool-sentence.js'

it('is the server, the name in words, what the tool does and what it takes', () => {
  const tool = makeTool('github:create_pullRequest', 'Opens a pull request.', {
    title: 'New PR',
    inputSchema: { type: 'object', properties: { repo: { type: 'string' }, base: { type: 'string' } } },
  })
  expect(toolSentence(tool)).toBe(
    'github create pull request: New PR. Opens a pull request. Parameters: repo base',
  )
})

it('leaves out what is not there', () => {
  expect(toolSentence(makeTool('clock:now', 'Tells the time'))).toBe('clock now: Tells the time')
})

it('the same definition gives the same sentence, and another description another one', () => {
  const said = toolSentence(makeTool('a:b', 'Counts sheep'))
  expect(toolSentence(makeTool('a:b', 'Counts sheep'))).toBe(said)
  expect(toolSentence(makeTool('a:b', 'Counts goats'))).not.toBe(said)
})

it('is cut where it is a manual, and takes a definition that is not what it should be', () => {
  expect(toolSentence(makeTool('a:b', 'word '.repeat(5_000)))).toHaveLength(2_000)
  const broken = { ...makeTool('a:b'), definition: { name: 'b', description: 5, inputSchema: null } } as never
  expect(toolSentence(broken)).toBe('a b: ')
})
