import { describe, expect, it } from 'vitest'
import type { Capability, CapabilityDependency } from '../model/capability.js'
import { seededRandom } from '../model/seeded-random.js'
import type { ToolId } from '../model/tool.js'
import type { CapabilityShelf, ToolSuccess } from './capability-shelf.js'
import { reachOf } from './reach-of.js'
import { reliabilityOf, successRate } from './reliability-of.js'
import { capability, capId, dependency, shelfOf, toolId, use } from './test-shelf.contract.js'
import { transitiveReliability } from './transitive-reliability.js'

it.each([
  [0, 0, 0.5, 1],
  [0, 1, 1 / 3, 0.1],
  [1, 1, 2 / 3, 1],
  [8, 8, 0.9, 1],
  [9, 9, 10 / 11, 1.2],
  [1, 2, 0.5, 1],
])('%d successes of %d uses are a rate of %d, and a factor of %d', (successes, uses, rate, factor) => {
  const reliability = reliabilityOf(successes, uses)
  expect(reliability.rate).toBeCloseTo(rate, 12)
  expect(reliability.factor).toBe(factor)
})

describe('a chain of four', () => {
  const chain = (failing: Partial<Capability> = { uses: 8, successes: 1 }) => [
    capability('top', { calls: [capId('upper')], uses: 8, successes: 8 }),
    capability('upper', { calls: [capId('lower')], uses: 6, successes: 6 }),
    capability('lower', { calls: [capId('bottom')] }),
    capability('bottom', { tools: [toolId('fs:read')], ...failing }),
  ]

  it('is as strong as its weakest link, three levels down', () => {
    expect(shelfOf(chain()).transitive(capId('top'))).toEqual({ value: 0.2, weakest: capId('bottom') })
  })

  it('what was never used counts as whole, and its own rate is not its own weakness', () => {
    expect(shelfOf(chain({})).transitive(capId('top'))).toEqual({ value: 7 / 8, weakest: capId('upper') })
    expect(shelfOf(chain()).transitive(capId('bottom'))).toEqual({ value: 1 })
  })

  it('a failing tool weakens all above it, once it was seen five times', () => {
    const known = (count: number) =>
      shelfOf(chain({}), [], { toolSuccess: () => ({ successes: 0, count }) }).transitive(capId('top'))
    expect(known(4).weakest).toBe(capId('upper'))
    expect(known(5)).toEqual({ value: 1 / 7, weakest: toolId('fs:read') })
  })

  it('follows what changes beneath it', () => {
    let success: ToolSuccess = { successes: 10, count: 10 }
    const shelf = shelfOf(chain({}), [], { toolSuccess: () => success })
    const top = () => shelf.transitive(capId('top')).value
    expect(top()).toBe(7 / 8)
    for (let at = 0; at < 3; at++) shelf.noteUse(capId('bottom'), use({ success: false }))
    expect(top()).toBe(0.2)
    for (let at = 0; at < 17; at++) shelf.noteUse(capId('bottom'), use())
    expect(top()).toBeCloseTo(18 / 22, 12)
    success = { successes: 1, count: 10 }
    shelf.toolsChanged([toolId('fs:read')])
    expect(top()).toBeCloseTo(2 / 12, 12)
    shelf.remove(capId('bottom'))
    expect(shelf.transitive(capId('top'))).toEqual({ value: 0, weakest: capId('bottom') })
    shelf.put(capability('bottom'))
    expect(top()).toBe(7 / 8)
  })

  it('an edge brings its end in, and takes it out again', () => {
    const shelf = shelfOf([...chain({}), capability('weak', { uses: 3, successes: 0 })])
    expect(shelf.transitive(capId('top')).value).toBe(7 / 8)
    shelf.addDependencies([dependency('bottom', 'weak')])
    expect(shelf.transitive(capId('top')).value).toBe(0.2)
    shelf.removeDependency(dependency('bottom', 'weak'))
    expect(shelf.transitive(capId('top')).value).toBe(7 / 8)
    shelf.addDependencies([dependency('bottom', 'weak', 'sequence')])
    expect(shelf.transitive(capId('top')).value).toBe(7 / 8)
  })
})

it('a chain of 20,000 and a circle of as many are no trouble', () => {
  const many = 20_000
  const chain = Array.from({ length: many }, (_, at) =>
    capability(`c${at}`, { calls: at + 1 < many ? [capId(`c${at + 1}`)] : [], uses: 10, successes: 9 }),
  )
  const bad = capability(`c${many - 1}`, { uses: 10, successes: 2 })
  expect(shelfOf([...chain.slice(0, -1), bad]).transitive(capId('c0')).value).toBe(0.25)
  const circle = [...chain.slice(0, -1), { ...bad, calls: [capId('c0')] }]
  const shelf = shelfOf(circle)
  expect(shelf.transitive(capId('c0'))).toEqual({ value: 0.25, weakest: bad.id })
  expect(shelf.transitive(bad.id)).toEqual({ value: 10 / 12, weakest: capId('c0') })
})

describe('of any shelf', () => {
  const seeds = Array.from({ length: 60 }, (_, at) => at + 1)

  it.each(seeds)('the kept value is the lowest of the whole reach, circles or not (seed %d)', (seed) => {
    const random = seededRandom(seed)
    const drawn = drawShelf(random)
    const shelf = shelfOf(drawn.capabilities, drawn.dependencies, { toolSuccess: drawn.toolSuccess })
    check(shelf, drawn.toolSuccess)
    for (let round = 0; round < 15; round++) {
      changeAnything(shelf, drawn, random)
      check(shelf, drawn.toolSuccess)
    }
  })

  it.each(seeds.slice(0, 20))('no order of the input shows (seed %d)', (seed) => {
    const drawn = drawShelf(seededRandom(seed))
    const one = shelfOf(drawn.capabilities, drawn.dependencies, { toolSuccess: drawn.toolSuccess })
    const other = shelfOf([...drawn.capabilities].reverse(), [...drawn.dependencies].reverse(), {
      toolSuccess: drawn.toolSuccess,
    })
    const ids = drawn.capabilities.map(({ id }) => id)
    const values = ids.map((id) => one.transitive(id))
    expect([...ids].reverse().map((id) => other.transitive(id))).toEqual(values.reverse())
    expect(other.dependencies()).toEqual(one.dependencies())
    expect(other.tools()).toEqual(one.tools())
  })
})

interface Drawn {
  readonly capabilities: readonly Capability[]
  readonly dependencies: readonly CapabilityDependency[]
  readonly toolSuccess: (tool: ToolId) => ToolSuccess | undefined
  readonly successes: Map<ToolId, ToolSuccess>
}

/** Calls lead anywhere, so circles are the rule. */
function drawShelf(random: () => number): Drawn {
  const many = 2 + Math.floor(random() * 12)
  const pick = () => `c${Math.floor(random() * many)}`
  const tools = Array.from({ length: 6 }, (_, at) => toolId(`s:t${at}`))
  const successes = new Map<ToolId, ToolSuccess>()
  for (const tool of tools) {
    const count = Math.floor(random() * 15)
    successes.set(tool, { count, successes: Math.floor(random() * (count + 1)) })
  }
  const capabilities = Array.from({ length: many }, (_, at) => {
    const uses = Math.floor(random() * 10)
    return capability(`c${at}`, {
      uses,
      successes: Math.floor(random() * (uses + 1)),
      tools: tools.filter(() => random() < 0.2),
      calls: [...new Set(Array.from({ length: Math.floor(random() * 3) }, () => capId(pick())))],
    })
  })
  const types = ['dependency', 'contains', 'sequence', 'alternative'] as const
  const dependencies = Array.from({ length: many }, () =>
    dependency(pick(), pick(), types[Math.floor(random() * types.length)]),
  )
  const distinct = new Map(dependencies.map((one) => [`${one.from} ${one.to} ${one.type}`, one]))
  return {
    capabilities,
    dependencies: [...distinct.values()],
    toolSuccess: (tool) => successes.get(tool),
    successes,
  }
}

function changeAnything(shelf: CapabilityShelf, drawn: Drawn, random: () => number): void {
  const one = drawn.capabilities[Math.floor(random() * drawn.capabilities.length)]!
  const other = drawn.capabilities[Math.floor(random() * drawn.capabilities.length)]!
  const kind = Math.floor(random() * 6)
  if (kind === 0) shelf.noteUse(one.id, use({ success: random() < 0.5 }))
  else if (kind === 1) shelf.put({ ...one, calls: [other.id] })
  else if (kind === 2) shelf.remove(one.id)
  else if (kind === 3)
    shelf.addDependencies([dependency(one.name, other.name, random() < 0.5 ? 'dependency' : 'contains')])
  else if (kind === 4)
    for (const edge of shelf.dependenciesOf(one.id).slice(0, 1)) shelf.removeDependency(edge)
  else {
    const tool = toolId(`s:t${Math.floor(random() * 6)}`)
    drawn.successes.set(tool, { count: 10, successes: Math.floor(random() * 11) })
    shelf.toolsChanged([tool])
  }
}

/** By walking everything from each, as the definition says. */
function check(shelf: CapabilityShelf, toolSuccess: Drawn['toolSuccess']): void {
  for (const { id } of shelf.all()) {
    const { tools, capabilities, gone } = reachOf(id, shelf)
    const rates = [1, ...[...gone].map(() => 0)]
    for (const needed of capabilities) {
      const { uses, successes } = shelf.get(needed)!
      if (uses > 0) rates.push(successRate(successes, uses))
    }
    for (const tool of tools) {
      const known = toolSuccess(tool)
      if (known !== undefined && known.count >= 5) rates.push(successRate(known.successes, known.count))
    }
    const kept = shelf.transitive(id)
    expect(kept.value).toBe(Math.min(...rates))
    expect(kept.value).toBeGreaterThanOrEqual(0)
    expect(kept.value).toBeLessThanOrEqual(1)
    expect(kept.weakest === undefined).toBe(kept.value === 1)
    expect(transitiveReliability(id, shelf, toolSuccess)).toEqual(kept)
  }
}
