import type { AnyNode } from 'acorn'
import { describe, expect, it } from 'vitest'
import { PmlError } from '../../errors.js'
import { seededRandom } from '../../model/seeded-random.js'
import { childrenOf } from './bind-names.js'
import { liftProgram } from './lift-program.js'
import { parseProgram } from './parse-program.js'
import { runSample, type SampleProgram, samplePrograms } from './programs.contract.js'
import { readProgram } from './read-program.js'

const changes = 1_500
/** One that counts by itself might count for ever, once it is changed. */
const ending = samplePrograms.filter(({ code }) => !/while|for \(let/.test(code))

describe('two programs of one structure', () => {
  it('are one procedure: either does what the other does, with what was lifted from the other', async () => {
    const random = seededRandom(9)
    let same = 0
    let other = 0
    for (let round = 0; round < changes; round++) {
      const sample = ending[Math.floor(random() * ending.length)]!
      const code = change(sample, random)
      const given = sample.arguments ?? {}
      const twin = lifted(code, sample)
      if (twin === undefined || code === sample.code) continue
      const original = liftProgram(readProgram(sample.code), { arguments: given })
      if (twin.structure !== original.structure) {
        other++
        continue
      }
      same++
      const did = await runSample(readProgram(code).javascript, given)
      const does = await runSample(readProgram(original.code).javascript, twin.arguments)
      expect(does, `${sample.code}\n---\n${code}`).toEqual(did)
    }
    expect(same).toBeGreaterThan(changes / 10)
    expect(other).toBeGreaterThan(changes / 10)
  }, 120_000)
})

function lifted(code: string, { arguments: given = {} }: SampleProgram) {
  try {
    return liftProgram(readProgram(code), { arguments: given })
  } catch (error) {
    if (error instanceof PmlError) return undefined
    throw error
  }
}

/** One word, number or text of it becomes another. */
function change({ code }: SampleProgram, random: () => number): string {
  const { tree, stripped } = parseProgram(code)
  const words: AnyNode[] = []
  const visit = (node: AnyNode): void => {
    if (node.type === 'Literal' || node.type === 'Identifier' || node.type === 'TemplateElement')
      words.push(node)
    for (const child of childrenOf(node)) visit(child)
  }
  visit(tree)
  if (words.length === 0) return code
  const any = () => words[Math.floor(random() * words.length)]!
  const from = any()
  const to = others(from, any, stripped, random)
  return `${stripped.slice(0, from.start)}${to}${stripped.slice(from.end)}`
}

function others(from: AnyNode, any: () => AnyNode, code: string, random: () => number): string {
  if (from.type === 'TemplateElement') return from.value.raw === '' ? 'x' : `${from.value.raw}y`
  if (from.type === 'Literal' && random() < 0.7) {
    if (typeof from.value === 'string') return JSON.stringify(`${from.value}z`)
    if (typeof from.value === 'number') return String(from.value + 2)
    if (typeof from.value === 'boolean') return String(!from.value)
  }
  const other = any()
  return other.type === 'TemplateElement' ? 'x' : code.slice(other.start, other.end)
}
