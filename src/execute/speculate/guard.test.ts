import { describe, expect, test } from 'vitest'
import type { Refusal, SpeculationConfig, SpeculationMode } from '../../model/speculation.js'
import type { ToolId } from '../../model/tool.js'
import { type GuardDeps, refusalOf } from './guard.js'
import { modeOf } from './mode-of.js'
import { predicted, testConfig } from './test-room.contract.js'

const call = predicted('fs:read')

/** Each refuses for one reason, in the order of model/speculation.ts. */
const reasons: readonly (readonly [Refusal, (deps: GuardDeps) => Partial<GuardDeps>])[] = [
  ['off', ({ config }) => ({ config: { ...config, tools: { 'fs:read': 'off' } } })],
  ['not safe', () => ({ isSafe: () => false })],
  ['never ahead', () => ({ isNeverAhead: () => true })],
  ['below threshold', () => ({ judge: () => 'below threshold' })],
  ['unused before', () => ({ wasUnused: true })],
  ['server not well', () => ({ isWell: () => false })],
  ['rate limited', ({ rests }) => ({ rests: { ...rests, isRateLimited: () => true } })],
  ['write under way', () => ({ epochs: { isWritten: () => true } })],
  ['too many at once', () => ({ atOnce: 3 })],
  ['cost', ({ config }) => ({ config: { ...config, costPerCall: { 'fs:*': 0.11 } } })],
  ['waste budget', () => ({ budget: { hasRoom: () => false } })],
]

const allowing: GuardDeps = {
  config: testConfig,
  judge: () => undefined,
  isSafe: () => true,
  isNeverAhead: () => false,
  mayWrite: () => false,
  isWell: () => true,
  epochs: { isWritten: () => false },
  rests: { isRateLimited: () => false, isFailing: () => false },
  budget: { hasRoom: () => true },
  wasUnused: false,
  atOnce: 2,
}

describe('the guard', () => {
  test('lets through what nothing speaks against', () => {
    expect(refusalOf(call, allowing)).toBeUndefined()
  })

  test('says the first reason of all that hold', () => {
    let deps = allowing
    for (const [refusal, change] of reasons.toReversed()) {
      expect(refusalOf(call, { ...allowing, ...change(allowing) })).toBe(refusal)
      deps = { ...deps, ...change(deps) }
      expect(refusalOf(call, deps)).toBe(refusal)
    }
  })

  test('refuses what would count as a write when it is asked for, and a server that fails', () => {
    expect(refusalOf(call, { ...allowing, mayWrite: () => true })).toBe('not safe')
    const rests = { ...allowing.rests, isFailing: () => true }
    expect(refusalOf(call, { ...allowing, rests })).toBe('server not well')
  })

  test.each([
    [{ 'fs:read': Number.NaN }, 0.1, 'cost'],
    [{ '*': -1 }, 0.1, 'cost'],
    [{ '*': 1, 'fs:*': 0.1 }, 0.1, undefined],
    [{ 'fs:*': 1, 'fs:read': 0.05 }, 0.1, undefined],
    [{}, Number.NaN, 'cost'],
  ])('with costs %j and at most %d says %s', (costPerCall, maxCost, refusal) => {
    const config = { ...testConfig, costPerCall, maxCost } as SpeculationConfig
    expect(refusalOf(call, { ...allowing, config })).toBe(refusal)
  })
})

describe('the switch of a tool', () => {
  test.each<[SpeculationMode, Record<string, SpeculationMode>, SpeculationMode]>([
    ['on', {}, 'on'],
    ['on', { '*': 'off' }, 'off'],
    ['on', { '*': 'off', 'fs:*': 'shadow' }, 'shadow'],
    ['on', { 'fs:*': 'off', 'fs:read': 'on' }, 'on'],
    ['on', { 'git:*': 'off' }, 'on'],
    ['shadow', { 'fs:read': 'on' }, 'shadow'],
    ['shadow', { 'fs:read': 'off' }, 'off'],
    ['off', { 'fs:read': 'on' }, 'off'],
    ['on', { 'fs:read': 'yes' as SpeculationMode }, 'off'],
    ['yes' as SpeculationMode, { 'fs:read': 'on' }, 'off'],
  ])('with %s for all and %j is %s', (mode, tools, is) => {
    expect(modeOf({ ...testConfig, mode, tools }, 'fs:read' as ToolId)).toBe(is)
  })
})
