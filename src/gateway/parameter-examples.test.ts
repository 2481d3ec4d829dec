import { describe, expect, it } from 'vitest'
import { liftProgram } from '../capabilities/program/lift-program.js'
import type { LiftedProgram } from '../capabilities/program/program.js'
import { samplePrograms } from '../capabilities/program/programs.contract.js'
import { readProgram } from '../capabilities/program/read-program.js'
import type { JsonObject } from '../model/json.js'
import { exampleArguments, examplesOfSchema } from './parameter-examples.js'

const schemas: Readonly<Record<string, JsonObject>> = {
  'files:read': { type: 'object', properties: { path: { type: 'string' }, head: { type: 'integer' } } },
  'memory:add': {
    type: 'object',
    properties: { names: { type: 'array', items: { type: 'string' } }, of: { anyOf: [] } },
  },
}
/** What a literal stood for is not said twice, and who comes first is nobody's. */
function withoutTexts({ structure, code, inputSchema }: LiftedProgram): unknown {
  const text = JSON.stringify({ structure, code, inputSchema })
  return JSON.parse(text, (key, value) => {
    if (key === 'description' && typeof value === 'string') return undefined
    return key === 'required' ? value.toSorted() : value
  })
}

const schemaOf = (tool: string) => schemas[tool]

describe('examplesOfSchema', () => {
  it.each(
    samplePrograms.map((sample) => [sample.title, sample] as const),
  )('what was learned is the same procedure, read anew elsewhere: %s', (_, { code, arguments: given }) => {
    const learned = liftProgram(readProgram(code), { arguments: given ?? {} })
    const args = examplesOfSchema(learned.inputSchema)
    const again = liftProgram(readProgram(learned.code), { arguments: args })
    expect(withoutTexts(again)).toEqual(withoutTexts(learned))
  })
})

describe('exampleArguments', () => {
  const structureOf = (code: string, args: JsonObject) =>
    liftProgram(readProgram(code), { arguments: args }).structure
  const examples = (code: string) => exampleArguments(readProgram(code), schemaOf)

  it('gives a parameter the type that the tool wants which it is handed to', () => {
    expect(
      examples(`const text = await tools.files.read({ path: args.path, head: args.lines })
        await tools.memory.add({ names: args.names, of: args.what })
        return args.verbose ? text : 'done'`),
    ).toEqual({ path: '', lines: 0, names: [''], what: null, verbose: null })
  })

  it('what each of is handed over is a list', () => {
    expect(examples('return await Promise.all(args.all.map((path) => tools.files.read({ path })))')).toEqual({
      all: [''],
    })
  })

  it('so what is written by hand is what would have been learned', () => {
    const written = 'return await tools.files.read({ path: args.path })'
    expect(structureOf(written, examples(written))).toBe(
      structureOf(`return await tools.files.read({ path: 'a.txt' })`, {}),
    )
  })

  it('leaves alone what has a default, and what is lifted', () => {
    expect(examples(`return await tools.files.read({ path: 'a.txt', head: args.head ?? 5 })`)).toEqual({})
  })

  it('leaves no parameter less needed than it is', () => {
    const code = 'const a = await tools.files.read({ path: args.path }); return a + args.end'
    expect(liftProgram(readProgram(code), { arguments: examples(code) }).inputSchema.required).toEqual([
      'path',
      'end',
    ])
  })
})
