// `npm run conformance`: the official suite against a server directly, against the same server behind PML, and against our
// own client. Fails when a check that passes directly does not pass behind PML, or one of the lists in `expected` does not.
//   npm run conformance -- --update         writes the lists
//   npm run conformance -- --only server    or client
//   npm run conformance -- --suite 0.2      the versions that begin so
//   npm run conformance -- --scenario ping  one scenario (compared, never written)
//   npm run conformance -- --verbose        says what is wrong with each check
import { parseArgs } from 'node:util'
import { countChecks, findLostBehind, findMissing, readList, toList, writeList } from './compare-lists.js'
import { fetchTools, measureClient, measureServer } from './measure.js'
import { serverLists, suites } from './suites.js'

const { values: options } = parseArgs({
  options: {
    update: { type: 'boolean', default: false },
    only: { type: 'string' },
    suite: { type: 'string', default: '' },
    revision: { type: 'string' },
    scenario: { type: 'string', multiple: true, default: [] },
    verbose: { type: 'boolean', default: false },
  },
})
const partial = options.scenario.length > 0 || options.revision !== undefined
if (options.update && partial)
  throw new Error('--update needs a whole suite: leave out --scenario and --revision.')

const stop = new AbortController()
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(name, () => stop.abort())

const problems = []
for (const suite of suites.filter(({ version }) => version.startsWith(options.suite))) {
  const tools = await fetchTools(suite)
  if (options.only !== 'client') await checkServer(tools)
  if (options.only !== 'server') await checkClient(tools)
}
for (const problem of problems) process.stdout.write(`FAILED  ${problem}\n`)
process.exitCode = problems.length > 0 ? 1 : 0

async function checkServer(tools) {
  const { version } = tools.suite
  const names = serverLists(version)
  const expected = { direct: readList(names.direct), behindOld: readList(names.behindOld) }
  const found = await measureServer(tools, { ...choice(tools.suite), expected })
  printTable(`Server scenarios of ${version}`, {
    direct: found.direct,
    'behind PML': found.behind,
    'behind PML, an older server': found.behindOld,
  })
  for (const [column, name] of Object.entries(names)) settle(name, found[column])
  for (const lost of findLostBehind(toList(found.direct), toList(found.behind)))
    problems.push(`${version} ${lost} passes directly and not behind PML`)
}

async function checkClient(tools) {
  const name = `client-${tools.suite.version}`
  const found = await measureClient(tools, { ...choice(tools.suite), expected: readList(name) })
  printTable(`Client scenarios of ${tools.suite.version}`, { 'our client': found })
  settle(name, found)
}

function choice(suite) {
  return {
    revisions: suite.revisions.filter((name) => (options.revision ?? name) === name),
    only: options.scenario,
    signal: stop.signal,
  }
}

/** Writes the list, or compares with it. */
function settle(name, results) {
  const list = toList(results)
  if (options.update) return writeList(name, list)
  const wanted = partial ? only(readList(name), results) : readList(name)
  for (const lost of findMissing(wanted, list)) problems.push(`${name}: ${lost} is in the list`)
}

/** Of a list, what a partial run has run. */
function only(list, results) {
  const revisions = Object.entries(list).filter(([revision]) => results[revision] !== undefined)
  return Object.fromEntries(
    revisions.map(([revision, scenarios]) => {
      const ran = Object.entries(scenarios).filter(([name]) => results[revision][name] !== undefined)
      return [revision, Object.fromEntries(ran)]
    }),
  )
}

function printTable(title, columns) {
  const first = Object.values(columns)[0]
  const rows = Object.entries(first).flatMap(([revision, outcomes]) =>
    Object.keys(outcomes)
      .sort()
      .map((scenario) => [
        revision,
        scenario,
        ...Object.values(columns).map((results) => say(results[revision]?.[scenario])),
      ]),
  )
  const table = [['revision', 'scenario', ...Object.keys(columns)], ...rows]
  const widths = table[0].map((_, column) => Math.max(...table.map((row) => row[column].length)))
  const line = (row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]))
      .join('  ')
      .trimEnd()
  process.stdout.write(`\n${title}\n\n${table.map(line).join('\n')}\n\n`)
  for (const [name, results] of Object.entries(columns)) {
    const { scenarios, checks } = countChecks(toList(results))
    process.stdout.write(`${name}: ${scenarios} of ${rows.length} scenarios pass, ${checks} checks\n`)
    if (options.verbose) printTroubles(results)
  }
}

function say(outcome) {
  if (outcome === undefined) return 'not run'
  const { passes, checks, troubles } = outcome
  const warnings = troubles.filter(({ status }) => status === 'WARNING').length
  return `${passes ? 'ok' : 'FAILS'} ${checks.length}${warnings > 0 ? `, ${warnings} warned` : ''}`
}

function printTroubles(results) {
  for (const [revision, outcomes] of Object.entries(results)) {
    for (const [scenario, { passes, troubles, output }] of Object.entries(outcomes)) {
      for (const { id, status, message } of troubles)
        process.stdout.write(`  ${revision} ${scenario}: ${status} ${id}: ${message}\n`)
      if (!passes && output !== undefined) process.stdout.write(`${output.replace(/^/gm, '    ')}\n`)
    }
  }
}
