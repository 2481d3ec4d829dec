import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../scripts/run-step.js'

/**
 * A list says what passes: revision -> scenario -> ids of its checks, all sorted. What it holds must pass in every later run,
 * check by check; what it does not hold may fail.
 */
export function toList(results) {
  const byName = (object, map) =>
    Object.fromEntries(
      Object.keys(object)
        .sort()
        .map((name) => [name, map(object[name])]),
    )
  return byName(results, (outcomes) => {
    const passing = Object.entries(outcomes).filter(([, { passes }]) => passes)
    return byName(Object.fromEntries(passing), ({ checks }) => checks)
  })
}

/** What `expected` holds and `found` does not: one line each. */
export function findMissing(expected, found) {
  return Object.entries(expected).flatMap(([revision, scenarios]) =>
    Object.entries(scenarios).flatMap(([scenario, checks]) => {
      const there = found[revision]?.[scenario]
      if (there === undefined) return [`${revision} ${scenario}`]
      return checks.filter((id) => !there.includes(id)).map((id) => `${revision} ${scenario}: ${id}`)
    }),
  )
}

/** What passes directly and not behind PML: one line each. */
export function findLostBehind(direct, behind) {
  return findMissing(direct, behind).filter((line) => !ofOneHop.has(line))
}

/** A tool that closes the stream it is answered on: behind PML it closes that to PML, which answers on one of its own. */
const ofOneHop = new Set(['2025-11-25 server-sse-polling: server-sse-disconnect-resume'])

export function countChecks(list) {
  const scenarios = Object.values(list).flatMap((revision) => Object.values(revision))
  return { scenarios: scenarios.length, checks: scenarios.flat().length }
}

export function readList(name) {
  const file = fileOf(name)
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
}

/** A line per scenario, so that a change is one, too. */
export function writeList(name, list) {
  const block = (entries, indent, write) =>
    entries.length === 0
      ? '{}'
      : `{\n${entries.map(([key, value]) => `${indent}  "${key}": ${write(value)}`).join(',\n')}\n${indent}}`
  const writeScenarios = (scenarios) => block(Object.entries(scenarios), '  ', JSON.stringify)
  writeFileSync(fileOf(name), `${block(Object.entries(list), '', writeScenarios)}\n`)
}

function fileOf(name) {
  return join(root, 'conformance/expected', `${name}.json`)
}
