import { describe, expect, it } from 'vitest'
import { readIntent } from '../read/read-intent.js'
import { shapeTools, type ToolSketch } from './shape-tools.contract.js'
import { spokenFor } from './spoken-for.js'

const text = { type: 'string' }
const translate: ToolSketch = { id: 'lang:translate', takes: { text, language: text } }
const write: ToolSketch = { id: 'fs:write_file', takes: { path: text, content: text } }
const move: ToolSketch = { id: 'fs:move_file', takes: { path: text } }

describe('spokenFor', () => {
  it.each<[string, ToolSketch, string | undefined]>([
    ['translate it to French', translate, 'text'],
    ['translate the result', translate, 'text'],
    ['translate "good morning" to French', translate, undefined],
    ['save its content to notes.md', write, 'content'],
    ["save each file's content", write, undefined],
    ["save them with each file's content", write, 'content'],
    // It is hardly a path where something else is asked for.
    ['save it to notes.md', write, 'content'],
    ['move it away', move, 'path'],
    // A value stands for it already.
    ['send it with the language "French"', translate, 'text'],
    ['send it', { id: 'x:ping' }, undefined],
  ])('in %j', async (said, sketch, expected) => {
    const [shape] = await shapeTools(sketch)
    expect(spokenFor(readIntent(said).clauses[0]!, shape!)?.path).toBe(expected)
  })
})
