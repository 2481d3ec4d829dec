import { describe, expect, it } from 'vitest'
import { PmlError } from '../../errors.js'
import { seededRandom } from '../../model/seeded-random.js'
import { checkProgram } from './check-program.js'
import { describeProgram } from './describe-program.js'
import { liftProgram } from './lift-program.js'
import { programTasks } from './program-tasks.js'
import { samplePrograms } from './programs.contract.js'
import { readProgram } from './read-program.js'
import { warmStripper } from './strip-types.js'

const mutations = 2_000
/** Of processor time, for one program: read, checked and lifted. A machine may be busy with something else meanwhile. */
const mostMs = 100

describe('programs that were damaged', () => {
  it('are read or refused, at once, and nothing else', () => {
    warmStripper()
    const random = seededRandom(4)
    let read = 0
    for (let round = 0; round < mutations; round++) {
      const code = mutate(random)
      const first = timed(code)
      if (first.isRead) read++
      if (first.ms > mostMs) expect(Math.min(timed(code).ms, timed(code).ms), code).toBeLessThan(mostMs)
    }
    // Else this would test the parser alone.
    expect(read).toBeGreaterThan(mutations / 10)
  })
})

function timed(code: string): { readonly ms: number; readonly isRead: boolean } {
  const before = process.cpuUsage()
  const isRead = use(code)
  const { user, system } = process.cpuUsage(before)
  return { ms: (user + system) / 1_000, isRead }
}

function use(code: string): boolean {
  try {
    const program = readProgram(code)
    checkProgram(program, {
      isKnown: () => true,
      inputSchemaOf: () => ({ type: 'object', required: ['a'] }),
      closest: () => [],
    })
    describeProgram(program)
    programTasks(program)
    const lifted = liftProgram(program, { arguments: { path: 'x' } })
    readProgram(lifted.code)
    return true
  } catch (error) {
    if (!(error instanceof PmlError))
      throw new Error(`Not ours, of ${JSON.stringify(code)}`, { cause: error })
    return false
  }
}

const scraps = [
  '}',
  '{',
  '(',
  ')',
  '`',
  '${',
  "'",
  '"',
  '/*',
  '//',
  '=>',
  'await ',
  'async ',
  'return ',
  'tools',
  'args',
  'tools.a.b(',
  '...',
  '?.',
  'as any',
  '<T>',
  'enum A { B }',
  ': string',
  ';',
  ',',
  '\n',
  '\0',
  '\u2028',
  '😀',
  'const ',
  'let args = 1;',
  'yield ',
  'class A {',
  '#x',
  '@',
  '0',
  '1n',
  '/x/',
  'import ',
  'Promise.all([',
  '__proto__',
  'null',
  '=',
  '[',
  ']',
  '!',
]

function mutate(random: () => number): string {
  const any = (most: number) => Math.floor(random() * most)
  let { code } = samplePrograms[any(samplePrograms.length)]!
  for (let times = 1 + any(3); times > 0; times--) {
    const at = any(code.length + 1)
    const length = any(12)
    switch (any(5)) {
      case 0:
        code = code.slice(0, at) + code.slice(at + length)
        break
      case 1:
        code = code.slice(0, at) + scraps[any(scraps.length)]! + code.slice(at)
        break
      case 2:
        code = code.slice(0, at) + scraps[any(scraps.length)]! + code.slice(at + length)
        break
      case 3:
        code = code.slice(0, at) + code.slice(at, at + length).repeat(2 + any(3)) + code.slice(at + length)
        break
      default:
        code =
          code.slice(0, at) +
          samplePrograms[any(samplePrograms.length)]!.code.slice(0, 5 + any(80)) +
          code.slice(at)
    }
  }
  return code
}
