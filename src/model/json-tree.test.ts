import { expect, it } from 'vitest'
import { JsonSyntaxError, parseJsonTree, treeValue } from './json-tree.js'

it('reads what JSON.parse reads, as it reads it', () => {
  for (const text of [
    '{"a":[1,-2.5e3,true,false,null,"x\\u00e9\\n\\ud83d\\ude00"],"b":{}}',
    ' [ ] ',
    '"alone"',
    '{"a":1,"a":2}',
    '{"__proto__":{"polluted":true}}',
  ]) {
    expect(treeValue(parseJsonTree(text))).toEqual(JSON.parse(text))
  }
})

it('allows comments and trailing commas, and leaves both alone inside strings', () => {
  const text = '// top\n{ /* a */ "url": "http://x/*y*/", "list": [1, 2,], // end\n}\n'
  expect(treeValue(parseJsonTree(text))).toEqual({ url: 'http://x/*y*/', list: [1, 2] })
})

it.each([
  ['{"a": 1 "b": 2}', 8, 'expected "," or "}", got "\\""'],
  ['[1, 2', 5, 'expected "," or "]", got the end of the file'],
  ['{a: 1}', 1, 'expected a key in double quotes or "}", got "a"'],
  ['{"a": yes}', 6, 'expected a value, got "y"'],
  ['{"a": "open', 6, 'expected a closing double quote'],
  ['{"a": "two\nlines"}', 6, 'expected a string without raw line breaks and with JSON escapes only'],
  ['[,]', 1, 'expected a value, got ","'],
  ['{} {}', 3, 'expected the end of the file, got "{"'],
  ['/* open', 0, 'expected "*/" after the comment'],
  ['', 0, 'expected a value, got the end of the file'],
])('%j fails at %i: %s', (text, offset, message) => {
  try {
    parseJsonTree(text)
    expect.unreachable()
  } catch (error) {
    expect(error).toBeInstanceOf(JsonSyntaxError)
    expect(error).toMatchObject({ offset, message })
  }
})

it('refuses deep nesting instead of running out of stack', () => {
  expect(() => parseJsonTree('['.repeat(100_000))).toThrow('at most 200 levels')
  expect(() => parseJsonTree('{"a":'.repeat(100_000))).toThrow('at most 200 levels')
})
