/**
 * Resources, templates and prompts of all servers as one list each, and the way back from what a client names to the server
 * that has it. Addresses of resources stay what they are, because results refer to them; where two servers have the same
 * one, the first by name keeps it and the others' are reached as `pml://server/NAME/ADDRESS`. Prompts are named like tools.
 */

import { closestNames } from '../model/closest-name.js'
import type { PmlConfig } from '../model/config.js'
import type { JsonObject } from '../model/json.js'
import type { ServerOffers } from '../model/offers.js'
import { formatToolId } from '../model/tool.js'
import { wireName } from '../model/wire-name.js'

export interface OffersViewOptions {
  config(): PmlConfig
  /** By server, equal as long as nothing changed. */
  offers(): Readonly<Record<string, ServerOffers>>
}

export interface Place {
  readonly server: string
  /** The server's own name or address for it. */
  readonly name: string
}

export interface OffersView {
  resources(): readonly JsonObject[]
  templates(): readonly JsonObject[]
  prompts(): readonly JsonObject[]
  /** By any form of its name. */
  findPrompt(name: string): Place | undefined
  closestPrompts(name: string): readonly string[]
  /** Every server that may have the resource, the likeliest first. */
  findResource(uri: string): readonly Place[]
  /** A server that has a template of exactly this form. */
  findTemplate(uriTemplate: string): Place | undefined
  /** What clients know the server's resource as. */
  addressesOf(server: string, uri: string): readonly string[]
  /** A result of the server spoke of this address. */
  sawLink(server: string, uri: string): void
}

interface Built {
  readonly resources: readonly JsonObject[]
  readonly templates: readonly JsonObject[]
  readonly prompts: readonly JsonObject[]
  readonly resourceServers: ReadonlyMap<string, readonly string[]>
  readonly templateServers: readonly Place[]
  readonly promptPlaces: ReadonlyMap<string, Place>
  /** Servers with any resource or template at all. */
  readonly withResources: readonly string[]
}

/** Links of results that are remembered; the oldest go first. */
const keptLinks = 10_000
const longestLink = 2_000
const aliasPrefix = 'pml://server/'

export function createOffersView({ config, offers }: OffersViewOptions): OffersView {
  const links = new Map<string, string>()
  let builtFrom: string | undefined
  let builtOf: readonly (ServerOffers | string)[] = []
  let built: Built | undefined

  const current = (): Built => {
    const { prefix } = config()
    const now = offers()
    const parts = Object.entries(now).flat()
    const isSame =
      builtFrom === prefix &&
      parts.length === builtOf.length &&
      parts.every((part, at) => part === builtOf[at])
    if (built === undefined || !isSame) built = build(now, prefix)
    builtFrom = prefix
    builtOf = parts
    return built
  }

  return {
    resources: () => current().resources,
    templates: () => current().templates,
    prompts: () => current().prompts,
    findPrompt: (name) => current().promptPlaces.get(name),
    closestPrompts: (name) =>
      closestNames(
        name,
        current().prompts.map((prompt) => prompt.name as string),
        3,
      ),
    findResource(uri) {
      const alias = parseAlias(uri)
      if (alias !== undefined) return [alias]
      const { resourceServers, templateServers, withResources } = current()
      const linked = links.get(uri)
      const listed = resourceServers.get(uri) ?? []
      const matching = templateServers.filter(({ name }) => mayMatch(name, uri)).map(({ server }) => server)
      // A server may have more than it lists: those that have resources are asked in turn.
      const servers = new Set([
        ...listed,
        ...(linked === undefined ? [] : [linked]),
        ...matching,
        ...withResources,
      ])
      return [...servers].map((server) => ({ server, name: uri }))
    },
    findTemplate: (uriTemplate) => current().templateServers.find(({ name }) => name === uriTemplate),
    addressesOf(server, uri) {
      const [owner = server] = current().resourceServers.get(uri) ?? []
      return owner === server ? [uri, aliasOf(server, uri)] : [aliasOf(server, uri)]
    },
    sawLink(server, uri) {
      if (uri.length > longestLink) return
      links.delete(uri)
      links.set(uri, server)
      if (links.size > keptLinks) links.delete(links.keys().next().value!)
    },
  }
}

function build(offers: Readonly<Record<string, ServerOffers>>, prefix: PmlConfig['prefix']): Built {
  const resources: JsonObject[] = []
  const templates: JsonObject[] = []
  const prompts: JsonObject[] = []
  const resourceServers = new Map<string, string[]>()
  const templateServers: Place[] = []
  const promptPlaces = new Map<string, Place>()
  const bareNames = new Map<string, Place | undefined>()
  const servers = Object.keys(offers).sort()
  for (const server of servers) {
    const offered = offers[server]!
    for (const resource of offered.resources) {
      const uri = resource.uri as string
      const others = resourceServers.get(uri)
      resources.push(others === undefined ? resource : { ...resource, uri: aliasOf(server, uri) })
      resourceServers.set(uri, [...(others ?? []), server])
    }
    for (const template of offered.templates) {
      templates.push(template)
      templateServers.push({ server, name: template.uriTemplate as string })
    }
    for (const prompt of offered.prompts) {
      const place = { server, name: prompt.name as string }
      const id = formatToolId(server, place.name)
      const name = prefix === 'none' ? place.name : wireName(id, prefix)
      prompts.push({ ...prompt, name })
      promptPlaces.set(name, place)
      promptPlaces.set(id, place)
      bareNames.set(place.name, bareNames.has(place.name) ? undefined : place)
    }
  }
  // A name without its server is understood where only one has it, and where no full name is the same.
  for (const [name, place] of bareNames)
    if (place !== undefined && !promptPlaces.has(name)) promptPlaces.set(name, place)
  const withResources = servers.filter(
    (server) => offers[server]!.resources.length + offers[server]!.templates.length > 0,
  )
  return { resources, templates, prompts, resourceServers, templateServers, promptPlaces, withResources }
}

function aliasOf(server: string, uri: string): string {
  return `${aliasPrefix}${encodeURIComponent(server)}/${uri}`
}

function parseAlias(uri: string): Place | undefined {
  if (!uri.startsWith(aliasPrefix)) return undefined
  const slash = uri.indexOf('/', aliasPrefix.length)
  if (slash < 0) return undefined
  try {
    const server = decodeURIComponent(uri.slice(aliasPrefix.length, slash))
    return { server, name: uri.slice(slash + 1) }
  } catch {
    return undefined
  }
}

/** Whether the fixed parts of the template stand in the address, in order. Only good enough to choose whom to ask. */
function mayMatch(template: string, uri: string): boolean {
  const parts = template.split(/\{[^{}]*\}/)
  const first = parts[0]!
  const last = parts.at(-1)!
  if (parts.length === 1) return uri === template
  if (!uri.startsWith(first) || !uri.endsWith(last) || uri.length < first.length + last.length) return false
  let at = first.length
  for (const part of parts.slice(1, -1)) {
    const found = uri.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return at <= uri.length - last.length
}
