import { describe, expect, it } from 'vitest'
import { runSample, samplePrograms } from './programs.contract.js'
import { readProgram } from './read-program.js'

describe('readProgram', () => {
  it.each(
    samplePrograms.map((sample) => [sample.title, sample] as const),
  )('finds the calls of: %s', async (_, sample) => {
    const program = readProgram(sample.code)
    expect(program.calls.map(({ name }) => name ?? '?')).toEqual(sample.calls)
    expect(program.javascript.split('\n').length).toBe(sample.code.split('\n').length)
    const ran = await runSample(program.javascript, sample.arguments ?? {})
    expect(ran.error).toBeUndefined()
    const names = new Set(sample.calls)
    if (!names.has('?')) for (const call of ran.calls) expect(names).toContain(call.split(' ')[0])
  })
})
