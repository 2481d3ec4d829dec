import { UpstreamRpcError } from '../errors.js'
import { isDeeperThan } from '../model/is-deeper-than.js'
import { isObject, type JsonObject } from '../model/json.js'
import type { ServerOffers } from '../model/offers.js'
import type { Connection } from './connection.js'
import { type ListOptions, listPages, maxEntryDepth } from './list-pages.js'

/** Resources, templates and prompts of a server, as far as they could be had: a list that fails is said and left out. */
export async function listOffers(
  connection: Connection,
  options: ListOptions,
): Promise<Partial<ServerOffers>> {
  const none: readonly JsonObject[] = []
  const list = (
    capability: 'resources' | 'prompts',
    method: string,
    field: string,
    key: string,
  ): Promise<readonly JsonObject[] | undefined> | readonly JsonObject[] =>
    connection.has(capability) ? listKeyed(connection, method, field, key, options) : none
  const [resources, templates, prompts] = await Promise.all([
    list('resources', 'resources/list', 'resources', 'uri'),
    list('resources', 'resources/templates/list', 'resourceTemplates', 'uriTemplate'),
    list('prompts', 'prompts/list', 'prompts', 'name'),
  ])
  return { ...(resources && { resources }), ...(templates && { templates }), ...(prompts && { prompts }) }
}

const methodNotFound = -32601

async function listKeyed(
  connection: Connection,
  method: string,
  field: string,
  key: string,
  options: ListOptions,
): Promise<readonly JsonObject[] | undefined> {
  const found = new Map<string, JsonObject>()
  try {
    await listPages(connection, method, field, options, (entry) => {
      const name = isObject(entry) ? entry[key] : undefined
      if (typeof name !== 'string' || name === '' || found.has(name)) return false
      if (isDeeperThan(entry, maxEntryDepth)) return false
      found.set(name, entry as JsonObject)
      return true
    })
    return [...found.values()]
  } catch (error) {
    if (options.signal.aborted) throw error
    options.log.debug(`Server "${options.server}" did not answer ${method}.`, { error: String(error) })
    // Servers announce resources and have templates only, or the other way round.
    return error instanceof UpstreamRpcError && error.rpcCode === methodNotFound ? [] : undefined
  }
}
