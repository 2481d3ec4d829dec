/**
 * How the gateway gets in to servers that ask who it is. Promises: tokens are for their owner's eyes alone, go to no
 * other server than theirs, are renewed before they run out, and are given up only when their authorization server says
 * so. It never opens a browser, never waits for a person, and never touches a server's connection.
 */
import { type FSWatcher, mkdirSync, watch } from 'node:fs'
import type { FetchLike } from '@modelcontextprotocol/client'
import { canonicalJson } from '../model/json.js'
import type { Log } from '../model/log.js'
import { type HttpServerConfig, hasAuthorizationHeader } from '../model/server.js'
import { withinMs } from '../model/within-ms.js'
import { Authorization } from './authorization.js'
import { isSafeUrl } from './is-safe-url.js'
import type { Authorize } from './sign-in.js'
import { authFolder, openTokenFile } from './token-file.js'

export interface AuthorizationsOptions {
  readonly dataDirectory: string
  readonly fetch: FetchLike
  readonly log: Log
  onSecrets(server: string, secrets: readonly string[]): void
  readonly authorize: Authorize | undefined
}

export interface Authorizations {
  /** Undefined for a server that is reached as it is configured: with a header of its own, or never signed in to. */
  of(server: HttpServerConfig): Authorization | undefined
  /** What is under way is given a moment to end. */
  close(): Promise<void>
}

/** Where the folder's events do not arrive, a slow look finds the change. */
const lookEveryMs = { withEvents: 15_000, without: 2_000 }
const closeWithinMs = 1_000

export function createAuthorizations(options: AuthorizationsOptions): Authorizations {
  const open = new Map<string, { readonly config: string; readonly authorization: Authorization }>()
  let watcher: { close(): void } | undefined

  return {
    of(server) {
      if (!mayNeedSignIn(server)) return undefined
      const file = openTokenFile(options.dataDirectory, server)
      const config = canonicalJson(server.auth ?? {})
      const known = open.get(file.path)
      if (known?.config === config) return known.authorization
      const { fetch, log, authorize } = options
      const onSecrets = (secrets: readonly string[]): void => options.onSecrets(server.name, secrets)
      const authorization = new Authorization({ server, file, fetch, log, authorize, onSecrets })
      open.set(file.path, { config, authorization })
      watcher ??= watchFolder(authFolder(options.dataDirectory), () => {
        for (const one of open.values()) void one.authorization.lookAgain().catch(() => {})
      })
      return authorization
    },
    async close() {
      watcher?.close()
      const closing = [...open.values()].map(({ authorization }) => authorization.close())
      await withinMs(Promise.all(closing), closeWithinMs, undefined)
    },
  }
}

/** A configured Authorization header wins; and over plain http a token could be read by anybody. */
function mayNeedSignIn(server: HttpServerConfig): boolean {
  return server.auth !== 'none' && !hasAuthorizationHeader(server) && isSafeUrl(server.url)
}

function watchFolder(folder: string, onEvent: () => void): { close(): void } {
  let watcher: FSWatcher | undefined
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    watcher = watch(folder, { persistent: false }, onEvent)
    watcher.on('error', () => watcher?.close())
  } catch {
    // Then the slow look has to do.
  }
  const poll = setInterval(onEvent, watcher === undefined ? lookEveryMs.without : lookEveryMs.withEvents)
  poll.unref()
  return {
    close() {
      clearInterval(poll)
      watcher?.close()
    },
  }
}
