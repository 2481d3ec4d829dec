import { describe, expect, it } from 'vitest'
import { createLearningRedact, createRedact, isRedacted, redactData, redactJson } from './redact.js'

describe('redaction', () => {
  const redact = createRedact(['hunter2-long', 'hunter2-long-and-longer', 'abc'])

  it('takes the longest secret first, and leaves values too short to tell from words', () => {
    expect(redact('x hunter2-long-and-longer y hunter2-long abc')).toBe('x [redacted] y [redacted] abc')
  })

  it('reaches every string inside a value, and errors with their causes', () => {
    const error = new Error('no hunter2-long', { cause: new Error('because of hunter2-long') })
    const clean = redactJson({ list: ['hunter2-long'], error }, redact) as unknown as {
      list: string[]
      error: string
    }
    expect(clean.list).toEqual(['[redacted]'])
    expect(clean.error).toMatch(/no \[redacted\][\s\S]*caused by Error: because of \[redacted\]/)
  })

  it('of what tools give and take the keys are looked at too; keys of our own records stay', () => {
    const value = { rows: [{ 'by hunter2-long': { 'hunter2-long': 1 } }], __proto__x: 2 }
    expect(redactData(value, redact)).toEqual({
      rows: [{ 'by [redacted]': { '[redacted]': 1 } }],
      __proto__x: 2,
    })
    expect(redactJson({ result: 'result' }, createRedact(['result']))).toEqual({ result: '[redacted]' })
  })

  it('is seen in what was kept', () => {
    expect(isRedacted(redact('the hunter2-long is'))).toBe(true)
    expect(isRedacted('redacted')).toBe(false)
  })

  it('keeps what was secret in an earlier configuration', () => {
    const learning = createLearningRedact()
    learning.learn(['first-secret'])
    learning.learn(['second-secret'])
    expect(learning.redact('first-secret second-secret')).toBe('[redacted] [redacted]')
  })

  it('keeps the newest of the secrets that are replaced again and again, for each owner', () => {
    const learning = createLearningRedact()
    learning.learn(['lasting-secret'])
    for (let turn = 0; turn < 50; turn += 1) learning.learnPassing('web', [`token-of-turn-${turn}.`])
    learning.learnPassing('other', ['token-of-another'])
    expect(learning.redact('token-of-turn-49. token-of-turn-45. token-of-another lasting-secret')).toBe(
      '[redacted] [redacted] [redacted] [redacted]',
    )
    expect(learning.redact('token-of-turn-3.')).toBe('token-of-turn-3.')
  })
})
