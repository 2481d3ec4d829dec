import { ClientFileError } from '../errors.js'
import { isObject } from '../model/json.js'
import { claudeCode, projectKeys } from './claude-code.js'
import type { Entries, System } from './client-format.js'
import { isPmlEntry } from './is-pml-entry.js'
import { readJsonServers } from './json-client.js'
import type { Scan } from './scan-clients.js'

export interface OtherProject {
  readonly project: string
  readonly servers: number
}

/** Projects in the user's file but the one we are in: their servers are theirs alone, so each has an init of its own. */
export function otherProjects({ places }: Scan, system: System): readonly OtherProject[] {
  const users = places.find(({ client, place }) => client === claudeCode && place.project === undefined)
  if (users === undefined) return []
  const own = projectKeys(system)
  return projectsIn(users.text, users.place.file).flatMap(([project, value]) => {
    const found = isObject(value) && isObject(value.mcpServers) ? Object.entries(value.mcpServers) : []
    const servers = found.filter(([name, entry]) => !isPmlEntry(name, entry)).length
    return own.includes(project) || servers === 0 ? [] : [{ project, servers }]
  })
}

function projectsIn(text: string, file: string): Entries {
  try {
    return readJsonServers(text, { file, section: ['projects'] })
  } catch (error) {
    if (error instanceof ClientFileError) return []
    throw error
  }
}
