import { isDeeperThan } from '../model/is-deeper-than.js'
import { isObject, type JsonObject } from '../model/json.js'
import type { ServerOffers } from '../model/offers.js'
import type { Connection } from './connection.js'
import { type ListOptions, listPages, maxEntryDepth } from './list-pages.js'

/** Resources, templates and prompts of a server. One list that fails is empty and said; the others live. */
export async function listOffers(connection: Connection, options: ListOptions): Promise<ServerOffers> {
  const list = (method: string, field: string, key: string): Promise<readonly JsonObject[]> =>
    listKeyed(connection, method, field, key, options)
  const none: readonly JsonObject[] = []
  const [resources, templates, prompts] = await Promise.all([
    connection.has('resources') ? list('resources/list', 'resources', 'uri') : none,
    connection.has('resources') ? list('resources/templates/list', 'resourceTemplates', 'uriTemplate') : none,
    connection.has('prompts') ? list('prompts/list', 'prompts', 'name') : none,
  ])
  return { resources, templates, prompts }
}

async function listKeyed(
  connection: Connection,
  method: string,
  field: string,
  key: string,
  options: ListOptions,
): Promise<readonly JsonObject[]> {
  const found = new Map<string, JsonObject>()
  try {
    await listPages(connection, method, field, options, (entry) => {
      const name = isObject(entry) ? entry[key] : undefined
      if (typeof name !== 'string' || name === '' || found.has(name)) return false
      if (isDeeperThan(entry, maxEntryDepth)) return false
      found.set(name, entry as JsonObject)
      return true
    })
  } catch (error) {
    if (options.signal.aborted) throw error
    // Servers announce resources and have templates only, or the other way round.
    options.log.debug(`Server "${options.server}" did not answer ${method}.`, { error: String(error) })
  }
  return [...found.values()]
}
