/**
 * The servers behind us. Promises: nothing is spawned before `start()`; one dead or slow server blocks nothing; a tool
 * whose definition changed is not called until a person accepts it; results pass as the server sent them; every process
 * group is gone when `close()` resolves. Never touches: the network beyond the configured servers, and any secret beyond
 * those configured for the one server it starts. Of this room persist-catalogue.ts alone knows the store.
 */
import { isDeepStrictEqual } from 'node:util'
import { canonicalJson } from '../model/json.js'
import { noOffers } from '../model/offers.js'
import type { KnownEra, ServerConfig, ServerState } from '../model/server.js'
import { withinMs } from '../model/within-ms.js'
import { createCallTool } from './call-tool.js'
import { Catalogue } from './catalogue.js'
import { lateAuthorizations } from './late-authorizations.js'
import { createSchemaChecks } from './schema-checks.js'
import { createSemaphore, type Semaphore } from './semaphore.js'
import { createSender, createSendRequest, notConfigured } from './send-request.js'
import { ServerLink } from './server-link.js'
import type { Upstreams, UpstreamsOptions } from './upstreams.js'
import { createArgumentCheck } from './validate-arguments.js'
import { createOutputCheck } from './validate-output.js'

export function openUpstreams(options: UpstreamsOptions): Upstreams {
  const { limits, log } = options
  const links = new Map<string, ServerLink>()
  const catalogue = new Catalogue(options.known, enabledNames(options.servers))
  const coldStarts = createSemaphore(limits.concurrentColdStarts)
  const downloads = createSemaphore(limits.concurrentColdStarts)
  const places = new Map<string, Semaphore>()
  const authorizations = lateAuthorizations(options)
  const changed = createNotifier()
  const offers = new Map(Object.entries(options.offers))
  let logLevel: string | undefined
  const triedBefore = new Set(options.tried)
  let started = false
  let closing: Promise<void> | undefined
  /** Links that others have taken the place of, and that have calls under way. */
  const retiring = new Set<ServerLink>()

  const addLink = (config: ServerConfig, era: KnownEra | undefined): ServerLink => {
    const link = new ServerLink({
      config,
      era,
      coldStarts,
      downloads,
      clientInfo: options.clientInfo,
      maxMessageBytes: limits.maxMessageBytes,
      log,
      redact: options.redact,
      clients: options.clients,
      authorizationOf: authorizations.of,
      onChange: changed.notify,
      onOffers: (offered) => {
        if (links.get(config.name) !== link) return
        // A list that could not be had stays what it was.
        const next = { ...(offers.get(config.name) ?? noOffers), ...offered }
        if (isDeepStrictEqual(offers.get(config.name), next)) return
        offers.set(config.name, next)
        changed.notify()
      },
      onListed: (tools) => {
        if (links.get(config.name) !== link) return
        for (const id of catalogue.listed(config.name, tools, Date.now())) {
          log.warn(`The definition of ${id} changed: it is not called until accepted.`, {
            accept: `pml trust ${id}`,
          })
        }
        changed.notify()
      },
    })
    if (logLevel !== undefined) link.setLogLevel(logLevel)
    links.set(config.name, link)
    places.set(config.name, createSemaphore(limits.concurrentCallsPerServer))
    return link
  }
  for (const config of options.servers) {
    addLink(config, Object.hasOwn(options.eras, config.name) ? options.eras[config.name] : undefined)
  }

  const checks = createSchemaChecks({ log })
  const sender = createSender({
    calls: createSemaphore(limits.concurrentCalls),
    callsOf: (server) => places.get(server)!,
  })
  const callTool = createCallTool({
    catalogue,
    links,
    sender,
    checkArguments: options.validateArguments ? createArgumentCheck(checks) : () => {},
    checkOutput: createOutputCheck({ mode: options.validateOutput, checks, log }),
  })

  return {
    callTool,
    sendRequest: createSendRequest(links, sender),
    async watch(server, uri) {
      const link = links.get(server)
      if (link === undefined) throw notConfigured(server)
      return link.watch(uri)
    },
    setLogLevel(level) {
      logLevel = level
      for (const link of links.values()) link.setLogLevel(level)
    },
    rootsChanged(session) {
      for (const link of links.values()) link.rootsChanged(session)
    },
    offers() {
      const enabled = [...links.values()].filter(({ config }) => !config.disabled)
      return Object.fromEntries(enabled.map(({ config: { name } }) => [name, offers.get(name) ?? noOffers]))
    },
    start() {
      if (started) return
      started = true
      for (const link of links.values()) link.start()
    },
    servers() {
      return [...links.values()]
        .map((link): ServerState => {
          const state = link.state()
          const toolCount = catalogue.count(state.name)
          return { ...state, toolCount, fromSnapshot: state.fromSnapshot && toolCount > 0 }
        })
        .sort((a, b) => (a.name < b.name ? -1 : 1))
    },
    tools: () => catalogue.tools(),
    tool: (id) => catalogue.tool(id),
    eras() {
      const known = [...links.values()].filter((link) => link.era !== undefined)
      return Object.fromEntries(known.map((link) => [link.config.name, link.era!]))
    },
    tried() {
      const names = [...links.values()]
        .filter((link) => link.wasTried && !link.config.disabled)
        .map((link) => link.config.name)
      // Of servers that are not configured nothing is kept: when they come back, their tools are waited for.
      const before = options.tried.filter((name) => links.has(name))
      return [...new Set([...before, ...names])].sort()
    },
    onChange: changed.listen,
    adoptPins(stored) {
      catalogue.adoptPins(stored)
      changed.notify()
    },
    trust(seen) {
      const accepted = catalogue.accept(seen)
      if (accepted.length > 0) changed.notify()
      return accepted
    },
    setTokens(counts) {
      catalogue.setTokens(counts)
      changed.notify()
    },
    async settled({ timeoutMs, onlyUnknown = false, server }) {
      const awaited = [...links.values()].filter(
        ({ config: { name } }) =>
          (!onlyUnknown || !triedBefore.has(name)) && (server === undefined || name === server),
      )
      await withinMs(Promise.all(awaited.map((link) => link.firstAttempt)), timeoutMs, undefined)
    },
    endSession(session) {
      for (const link of links.values()) link.endSession(session)
    },
    async reconfigure(servers) {
      const wanted = new Map(servers.map((config) => [config.name, config]))
      const gone = [...links.values()].filter((link) => !isSame(link.config, wanted.get(link.config.name)))
      for (const { config } of gone) {
        links.delete(config.name)
        offers.delete(config.name)
      }
      catalogue.configure(enabledNames(servers))
      const added = servers
        .filter((config) => !links.has(config.name))
        .map((config) => addLink(config, undefined))
      for (const link of added) {
        const before = gone.find(({ config }) => config.name === link.config.name)
        if (before !== undefined) link.inheritWatches(before)
      }
      if (started && closing === undefined) for (const link of added) link.start()
      changed.notify()
      for (const link of gone) retiring.add(link)
      await Promise.all(gone.map((link) => link.retire().then(() => retiring.delete(link))))
    },
    close() {
      closing ??= Promise.all([
        ...[...links.values(), ...retiring].map((link) => link.close()),
        authorizations.close(),
      ]).then(() => {})
      return closing
    },
  }
}

function enabledNames(servers: readonly ServerConfig[]): ReadonlySet<string> {
  return new Set(servers.filter((config) => !config.disabled).map((config) => config.name))
}

function isSame(a: ServerConfig, b: ServerConfig | undefined): boolean {
  return b !== undefined && canonicalJson(a) === canonicalJson(b)
}

/** Many changes in one tick are told once. */
function createNotifier(): { notify(): void; listen(listener: () => void): () => void } {
  const listeners = new Set<() => void>()
  let due = false
  return {
    notify() {
      if (due) return
      due = true
      setImmediate(() => {
        due = false
        for (const listener of [...listeners]) listener()
      })
    },
    listen(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
