/** The official suite, as `npm run conformance` runs it, against the lists of what passes in conformance/expected. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, type TestContext, test } from 'vitest'
import { root } from './harness.js'

const load = (name: string) => import(pathToFileURL(join(root, 'conformance', `${name}.js`)).href)
const { countChecks, findLostBehind, findMissing, readList, toList } = await load('compare-lists')
const { fetchTools, measureClient, measureServer } = await load('measure')
const { serverLists, suites } = await load('suites')

interface Suite {
  readonly version: string
  readonly revisions: readonly string[]
}

/** What passed when this was written. A list may grow; these numbers follow it, upwards only. */
const atLeast: Record<string, { readonly scenarios: number; readonly checks: number }> = {
  'server-0.1.16-direct': { scenarios: 31, checks: 44 },
  'server-0.1.16-gateway': { scenarios: 31, checks: 44 },
  'server-0.2.0-alpha.12-direct': { scenarios: 101, checks: 279 },
  'server-0.2.0-alpha.12-gateway': { scenarios: 101, checks: 278 },
  'server-0.1.16-gateway-older': { scenarios: 31, checks: 44 },
  'server-0.2.0-alpha.12-gateway-older': { scenarios: 99, checks: 248 },
  'client-0.1.16': { scenarios: 24, checks: 208 },
  'client-0.2.0-alpha.12': { scenarios: 59, checks: 597 },
}

const newest: string = suites.at(-1).version
const minutes = 60_000

describe('the lists in the repository', () => {
  test.each(Object.entries(atLeast))('%s has not shrunk', (name, least) => {
    const { scenarios, checks } = countChecks(readList(name))
    expect(scenarios).toBeGreaterThanOrEqual(least.scenarios)
    expect(checks).toBeGreaterThanOrEqual(least.checks)
  })

  test.each(suites as Suite[])('what passes directly passes behind PML ($version)', ({ version }) => {
    expect(
      findLostBehind(readList(`server-${version}-direct`), readList(`server-${version}-gateway`)),
    ).toEqual([])
  })
})

describe('a check that is lost', () => {
  const list = { '2026-07-28': { ping: ['answers', 'in-time'] } }
  const outcome = (checks: string[], passes = true) => ({ '2026-07-28': { ping: { passes, checks } } })

  test('is told by revision, scenario and name', () => {
    expect(findMissing(list, toList(outcome(['answers'])))).toEqual(['2026-07-28 ping: in-time'])
  })
  test('takes its scenario with it when that fails', () => {
    expect(findMissing(list, toList(outcome(['answers', 'in-time'], false)))).toEqual(['2026-07-28 ping'])
  })
  test('is missed where the whole revision did not run', () => {
    expect(findMissing(list, {})).toEqual(['2026-07-28 ping'])
  })
})

describe.each(suites as Suite[])('the official suite $version', (suite) => {
  let tools: unknown
  let unreachable: string | undefined

  beforeAll(async () => {
    try {
      tools = await fetchTools(suite)
    } catch (error) {
      unreachable = await whyNotToBeHad(suite)
      if (unreachable === undefined) throw error
    }
  }, 10 * minutes)

  const skipWithoutIt = ({ skip }: TestContext): void => {
    if (unreachable !== undefined) skip(unreachable)
  }

  test(
    'every check that passes on a server passes on the same server behind PML',
    async (context) => {
      skipWithoutIt(context)
      const lists = Object.entries<string>(serverLists(suite.version))
      const expected = Object.fromEntries(lists.map(([column, name]) => [column, readList(name)]))
      const options = { revisions: suite.revisions, only: [], expected, signal: context.signal }
      const found = await measureServer(tools, options)
      expect(findLostBehind(toList(found.direct), toList(found.behind))).toEqual([])
      for (const [column] of lists) expect(findMissing(expected[column], toList(found[column]))).toEqual([])
    },
    15 * minutes,
  )

  test(
    'our client passes what it passed before',
    async (context) => {
      skipWithoutIt(context)
      const expected = toBeRun(suite)
      const only = suite.version === newest ? [] : Object.values(expected).flatMap(Object.keys)
      const options = { revisions: suite.revisions, only, expected, signal: context.signal }
      expect(findMissing(expected, toList(await measureClient(tools, options)))).toEqual([])
    },
    15 * minutes,
  )
})

/** Of the older suite, only what the newer one does not run: the rest are the same scenarios. */
function toBeRun({ version }: Suite): Record<string, object> {
  const list: Record<string, object> = readList(`client-${version}`)
  if (version === newest) return list
  const again = new Set(Object.values<object>(readList(`client-${newest}`)).flatMap(Object.keys))
  return Object.fromEntries(
    Object.entries(list).map(([revision, scenarios]) => [
      revision,
      Object.fromEntries(Object.entries(scenarios).filter(([name]) => !again.has(name))),
    ]),
  )
}

/** Undefined when npm gives what is asked for: then its absence is our own failure. */
async function whyNotToBeHad({ version }: Suite): Promise<string | undefined> {
  const platform = process.platform === 'win32' ? 'win' : process.platform
  const packages = [`@modelcontextprotocol/conformance@${version}`, `node-${platform}-${process.arch}@22`]
  for (const name of packages) {
    const shell = process.platform === 'win32'
    try {
      await promisify(execFile)('npm', ['view', name, 'version'], { timeout: 2 * minutes, shell })
    } catch {
      return `npm does not give ${name}: is its registry reachable?`
    }
  }
  return undefined
}
