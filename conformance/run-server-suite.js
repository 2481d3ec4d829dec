import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readOutcomes } from './read-outcomes.js'
import { runProgram } from './run-program.js'

const timeoutMs = 3 * 60_000

/** All server scenarios of one revision against one address: scenario -> outcome. */
export async function runServerSuite({ node, program, suite, revision, url, only = [], signal }) {
  const folder = mkdtempSync(join(tmpdir(), 'pml-conformance-'))
  const told = suite.tellRevision ? ['--spec-version', revision] : []
  const run = (choice) =>
    runProgram(node, [program, 'server', '--url', url, ...choice, ...told, '-o', join(folder, 'results')], {
      cwd: folder,
      timeoutMs,
      signal,
    })
  try {
    let output = ''
    if (only.length === 0) ({ output } = await run(['--suite', 'all']))
    for (const scenario of only) ({ output } = await run(['--scenario', scenario]))
    const outcomes = readOutcomes(join(folder, 'results'), 'server-')
    if (Object.keys(outcomes).length === 0) throw new Error(`The suite left no results:\n${output}`)
    return outcomes
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}
