import { fetchNode22 } from '../scripts/node22.js'
import { findMissing, toList } from './compare-lists.js'
import { fetchSuite } from './fetch-suite.js'
import { runClientSuite } from './run-client-suite.js'
import { runServerSuite } from './run-server-suite.js'
import { startFixture, startGateway } from './start-subjects.js'

/** The suite asks for Node 22; what it tests runs on the node of this process. */
export async function fetchTools(suite) {
  const isNewEnough = Number(process.versions.node.split('.')[0]) >= 22
  const node = isNewEnough ? process.execPath : await fetchNode22()
  return { suite, node, program: await fetchSuite(suite) }
}

/**
 * The server scenarios: revision -> scenario -> outcome, directly, behind PML, and behind PML with a server that knows no
 * revision later than 2025-11-25, so that PML has to say the same in another revision's words.
 */
export async function measureServer(tools, { revisions, only, expected, signal }) {
  const measure = (url, wanted) =>
    inRevisions(revisions, wanted, (revision, scenarios) =>
      runServerSuite({ ...tools, revision, url, only: scenarios ?? only, signal }),
    )
  const behind = async (fixture, wanted) => {
    const gateway = await startGateway(fixture.url)
    return closing(gateway, () => measure(gateway.url, wanted))
  }
  const fixture = await startFixture()
  const found = await closing(fixture, async () => {
    const direct = await measure(fixture.url, expected.direct)
    return { direct, behind: await behind(fixture, toList(direct)) }
  })
  const old = await startFixture('--old')
  return { ...found, behindOld: await closing(old, () => behind(old, expected.behindOld)) }
}

async function closing(subject, use) {
  try {
    return await use()
  } finally {
    await subject.close()
  }
}

/** The client scenarios: revision -> scenario -> outcome. */
export function measureClient(tools, { revisions, only, expected, signal }) {
  return inRevisions(revisions, expected, (revision, scenarios) =>
    runClientSuite({ ...tools, revision, only: scenarios ?? only, signal }),
  )
}

/**
 * Some scenarios wait half a second for an answer and no longer, which a busy machine may break: what should pass and did
 * not is run once more, alone, and that run counts.
 */
async function inRevisions(revisions, wanted, run) {
  const results = {}
  for (const revision of revisions) {
    const first = await run(revision)
    const ran = Object.entries(wanted[revision] ?? {}).filter(([scenario]) => first[scenario] !== undefined)
    const found = toList({ [revision]: first })
    const lost = ran.filter(
      ([scenario, checks]) => findMissing({ [revision]: { [scenario]: checks } }, found).length > 0,
    )
    const again = lost.map(([scenario]) => scenario)
    const second = again.length > 0 && again.length <= mostAgain ? await run(revision, again) : {}
    results[revision] = { ...first, ...second }
  }
  return results
}

/** More than that is no accident. */
const mostAgain = 6
