import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { withNode } from '../scripts/node22.js'
import { root } from '../scripts/run-step.js'
import { readOutcomes } from './read-outcomes.js'
import { runProgram } from './run-program.js'

const scenarioTimeoutMs = 60_000

/**
 * All client scenarios of one revision, each with a process of its own around our client. The suite would start all at once;
 * here they take turns, because some of them measure time.
 */
export async function runClientSuite({ node, program, suite, revision, only = [], signal }) {
  const folder = mkdtempSync(join(tmpdir(), 'pml-conformance-'))
  const told = suite.tellRevision ? ['--spec-version', revision] : []
  const results = join(folder, 'results')
  const runOne = (scenario) => {
    const timeout = ['--timeout', String(scenarioTimeoutMs / 2)]
    // The suite cuts the command at spaces: a path from the root of the repository has none.
    const args = ['client', '--command', 'node conformance/client.js', '--scenario', scenario, ...timeout]
    return runProgram(node, [program, ...args, ...told, '-o', results], {
      cwd: root,
      env: withNode(process.execPath, process.env),
      timeoutMs: scenarioTimeoutMs,
      signal,
    })
  }
  try {
    const scenarios = only.length > 0 ? only : await listScenarios({ node, program, told })
    const codes = await inTurns(scenarios, runOne)
    const outcomes = readOutcomes(results, '')
    for (const [scenario, { code, output }] of codes) {
      const outcome = outcomes[scenario] ?? { checks: [], troubles: [] }
      // The suite's own verdict: it also counts warnings, and a client that failed where it should not have.
      outcomes[scenario] = { ...outcome, passes: code === 0 && outcome.checks.length > 0, output }
    }
    return outcomes
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

async function listScenarios({ node, program, told }) {
  const { output } = await runProgram(node, [program, 'list', '--client', ...told], { timeoutMs: 60_000 })
  return [...output.matchAll(/^ {2}- (\S+)/gm)].map(([, name]) => name)
}

async function inTurns(scenarios, runOne) {
  const waiting = [...scenarios]
  const done = new Map()
  const lane = async () => {
    for (let scenario = waiting.shift(); scenario !== undefined; scenario = waiting.shift())
      done.set(scenario, await runOne(scenario))
  }
  await Promise.all(Array.from({ length: Math.min(4, availableParallelism()) }, lane))
  return done
}
