import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * What the suite left in its folder, a scenario each: the checks that passed, and what is wrong with the others. An id may
 * stand there several times; it passed when none of them failed.
 */
export function readOutcomes(folder, prefix) {
  const outcomes = {}
  for (const path of existsSync(folder) ? folders(folder) : []) {
    const name = path.slice(folder.length + 1 + prefix.length).replaceAll('\\', '/')
    const scenario = name.replace(/-\d{4}-\d{2}-\d{2}T[\d-]+Z$/, '')
    outcomes[scenario] = judge(JSON.parse(readFileSync(join(path, 'checks.json'), 'utf8')))
  }
  return outcomes
}

/** Some scenarios have a slash in their name, and so a folder in a folder. */
function folders(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name === 'checks.json')
    .map((entry) => entry.parentPath ?? entry.path)
}

function judge(checks) {
  const of = (...states) => checks.filter(({ status }) => states.includes(status))
  const bad = of('FAILURE', 'WARNING')
  const badIds = new Set(bad.map(({ id }) => id))
  const good = of('SUCCESS').map(({ id }) => id)
  const checked = [...new Set(good)].filter((id) => !badIds.has(id)).sort()
  return {
    // A warning is a SHOULD: the suite lets the scenario pass, and so do we; the check itself did not.
    passes: of('FAILURE').length === 0 && checked.length > 0,
    checks: checked,
    troubles: bad.map(({ id, status, description, errorMessage }) => ({
      id,
      status,
      message: errorMessage ?? description,
    })),
  }
}
