import { describe, expect, it } from 'vitest'
import { liftProgram } from './lift-program.js'
import { runSample, samplePrograms } from './programs.contract.js'
import { readProgram } from './read-program.js'

describe('liftProgram', () => {
  it.each(
    samplePrograms.map((sample) => [sample.title, sample] as const),
  )('does with its arguments what the program did: %s', async (_, sample) => {
    const given = sample.arguments ?? {}
    const program = readProgram(sample.code)
    const lifted = liftProgram(program, { arguments: given })
    if (process.env.SHOW)
      console.log(lifted.code, JSON.stringify(lifted.inputSchema), JSON.stringify(lifted.arguments))
    const again = readProgram(lifted.code)
    const before = await runSample(program.javascript, given)
    const after = await runSample(again.javascript, lifted.arguments)
    expect(after).toEqual(before)
    expect(liftProgram(again, { arguments: lifted.arguments })).toMatchObject({
      structure: lifted.structure,
      arguments: lifted.arguments,
    })
  })
})
