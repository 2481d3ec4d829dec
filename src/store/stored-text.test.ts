import { describe, expect, it } from 'vitest'
import { decodeJson, decodeText, encodeJson, encodeKey, encodeText } from './stored-text.js'

const units = [
  '\u0000',
  '\u001a',
  '\\',
  'u',
  '0000',
  '001a',
  'd800',
  '\ud800',
  '\udc00',
  '"',
  'a',
  '😀',
  '\n',
  '\u0001',
  '\ufeff',
]

/** Every string of up to three of these parts: all the ways in which escapes can meet. */
const strings = [
  '',
  ...units,
  ...units.flatMap((a) => units.flatMap((b) => [a + b, ...units.map((c) => a + b + c)])),
]

describe('stored text', () => {
  it('every string comes back, and is legal text meanwhile', () => {
    for (const text of strings) {
      const stored = encodeText(text)
      expect(stored).not.toContain('\u0000')
      expect(new TextDecoder().decode(Buffer.from(stored))).toBe(stored)
      expect(decodeText(stored)).toBe(text)
    }
  })

  it('every JSON value comes back, and holds no escape that jsonb refuses meanwhile', () => {
    for (const text of strings) {
      const value = { [text]: [text, { nested: text }] }
      const stored = encodeJson(value)
      expect(JSON.stringify(JSON.parse(stored)).replaceAll('\\\\', '')).not.toMatch(/\\u(0000|d[89a-f])/)
      expect(decodeJson(stored)).toStrictEqual(value)
    }
  })

  it('ordinary text stands as it is', () => {
    const text = 'C:\\users\\ann — "naïve" 😀\n\u001b[31m'
    expect(encodeText(text)).toBe(text)
    expect(encodeJson(text)).toBe(JSON.stringify(text))
  })

  it('a key is the id itself while an index can hold it, and short and distinct otherwise', () => {
    expect(encodeKey('fs:read')).toBe('fs:read')
    const keys = ['1', '2'].map((end) => encodeKey(`fs:${'😀'.repeat(2000)}${end}`))
    expect(new Set(keys).size).toBe(2)
    for (const key of keys) expect(Buffer.byteLength(key)).toBeLessThan(1000)
  })
})
