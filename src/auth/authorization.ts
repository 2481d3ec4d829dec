/**
 * Lets the gateway in to one server, and never asks a person: it hands out the access token, renews it ahead of time,
 * and says when somebody has to sign in. One for each server and process, so that a refresh token is used once.
 *
 *     token() ── usable ─────────────────────────────────> access token
 *        │          └─ due: renewed behind the request ──┐
 *        └─ run out: renewed first ──────────────────────┤
 *     onUnauthorized() ── refused: renewed ──────────────┤
 *                                                        v
 *              renewed: on disk, then used     later: everything is kept, tried again ever more slowly
 *              ended or refused: SignInNeededError, and nothing more by itself
 */
import {
  type AuthProvider,
  computeScopeUnion,
  extractWWWAuthenticateParams,
  type FetchLike,
} from '@modelcontextprotocol/client'
import { AuthError, SignInNeededError, SignInNotRenewedError, UpstreamError } from '../errors.js'
import type { Log } from '../model/log.js'
import type { HttpServerConfig } from '../model/server.js'
import { authFetch } from './auth-fetch.js'
import type { AuthTokens } from './auth-record.js'
import { authOf } from './client-authentication.js'
import { type Challenge, discoverAuthorizationServer } from './discover-authorization-server.js'
import { judgeTokenError, type TokenVerdict } from './judge-token-error.js'
import { asTrouble, KeptRecord } from './kept-record.js'
import { renewTokens } from './renew-tokens.js'
import { type Authorize, signIn } from './sign-in.js'
import { signInAsMachine } from './sign-in-as-machine.js'
import { isDue, isRenewable, isUsable } from './token-age.js'
import type { TokenFile } from './token-file.js'

export interface AuthorizationOptions {
  readonly server: HttpServerConfig
  readonly file: TokenFile
  readonly fetch: FetchLike
  readonly log: Log
  onSecrets(secrets: readonly string[]): void
  /** Signs in without a person, where a program can; a gateway has none and says that a sign-in is needed. */
  readonly authorize: Authorize | undefined
}

const firstPauseMs = 1_000
/** A server must not fill the file, or the address to sign in at, with scopes. */
const longestScope = 2_000
const longestPauseMs = 60_000
/** What a programmatic sign-in claims to listen on; nobody does. */
const unattendedPort = 33_418

export class Authorization implements AuthProvider {
  readonly #options: AuthorizationOptions
  readonly #kept: KeptRecord
  readonly #listeners = new Set<() => void>()
  /** The tokens that answers of 401 are about: while one is refused, others may be under way with the next. */
  readonly #refused = new WeakMap<Response, string>()
  #renewing: Promise<void> | undefined
  /** The last renewal that failed, and how many did in a row. */
  #failed: { readonly verdict: TokenVerdict; readonly at: number; readonly times: number } | undefined

  constructor(options: AuthorizationOptions) {
    this.#options = options
    this.#kept = new KeptRecord({ ...options, server: options.server.name })
  }

  get isSignedIn(): boolean {
    return this.#tokens !== undefined
  }

  /** The token to send, undefined where there is none. Rejects with an UpstreamError when there is none any more. */
  async token(): Promise<string | undefined> {
    await this.#kept.load()
    const tokens = this.#tokens
    if (tokens !== undefined && isDue(tokens, Date.now()) && this.#canRenew(tokens)) {
      if (!isUsable(tokens, Date.now())) await this.#renew(undefined)
      else if (this.#mayTryAgain(false)) this.#renew(undefined).catch(() => {})
    }
    return this.#usableToken()
  }

  /** Told of every request that was refused, before `onUnauthorized` is. */
  noteRefused(response: Response, token: string): void {
    this.#refused.set(response, token)
  }

  /** Resolves when the request is worth repeating. Rejects with an UpstreamError. */
  async onUnauthorized({ response }: { readonly response: Response }): Promise<void> {
    const { server, authorize } = this.#options
    const challenge = extractWWWAuthenticateParams(response)
    await this.lookAgain()
    const tokens = this.#tokens
    const isGood = tokens !== undefined && isUsable(tokens, Date.now())
    if (isGood && tokens.access_token !== this.#refused.get(response)) return
    if (this.#isMachine) return this.#renew(challenge)
    const hasMoved = isGood && (await this.#hasMoved(challenge))
    if (tokens !== undefined && isRenewable(tokens) && !hasMoved) return this.#renew(challenge)
    if (authorize !== undefined) return this.#signIn(challenge)
    if (hasMoved) throw new SignInNeededError(server.name, 'it now belongs to another authorization server')
    throw await this.#explainRefusal(challenge)
  }

  /**
   * A call was refused for want of a scope. True when that scope is there now; otherwise it is remembered, so that the
   * next sign-in asks for it.
   */
  async onInsufficientScope(response: Response): Promise<boolean> {
    const { scope, resourceMetadataUrl, error } = extractWWWAuthenticateParams(response)
    const record = this.#kept.current
    if (error !== 'insufficient_scope' || record === undefined) return false
    const wantedScope = computeScopeUnion(record.wantedScope, scope)
    const isSane = wantedScope !== undefined && wantedScope.length <= longestScope
    if (isSane && wantedScope !== record.wantedScope) {
      await this.#kept.keep({ ...record, wantedScope })
    }
    if (this.#options.authorize === undefined) return false
    await this.#signIn({ scope, resourceMetadataUrl })
    return true
  }

  /** Takes up what another process wrote: a sign-in, or its end. */
  async lookAgain(): Promise<void> {
    await this.#renewing?.catch(() => {})
    if (!(await this.#kept.lookAgain())) return
    this.#failed = undefined
    for (const listener of [...this.#listeners]) listener()
  }

  /** Somebody signed in or out elsewhere. Returns the function that ends it. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** A refresh token may be half way round: it is seen through. */
  async close(): Promise<void> {
    this.#listeners.clear()
    await this.#renewing?.catch(() => {})
  }

  get #isMachine(): boolean {
    return authOf(this.#options.server).grant === 'client_credentials'
  }

  /** Those of the client that is configured now. */
  get #tokens(): AuthTokens | undefined {
    const { clientId } = authOf(this.#options.server)
    const record = this.#kept.current
    return clientId === undefined || record?.client?.client_id === clientId ? record?.tokens : undefined
  }

  #canRenew(tokens: AuthTokens): boolean {
    return this.#isMachine || isRenewable(tokens)
  }

  #usableToken(): string | undefined {
    const tokens = this.#tokens
    if (tokens === undefined || isUsable(tokens, Date.now())) return tokens?.access_token
    if (this.#isMachine || this.#options.authorize !== undefined) return undefined
    const why = tokens.endedAt === undefined ? 'has run out' : 'was ended by the authorization server'
    throw new SignInNeededError(this.#options.server.name, `the last sign-in ${why}`)
  }

  /** One at a time; whoever comes meanwhile waits for the same. Resolves when there is a token to use. */
  #renew(challenge: Challenge | undefined): Promise<void> {
    this.#renewing ??= this.#renewOnce(challenge).finally(() => {
      this.#renewing = undefined
    })
    return this.#renewing
  }

  async #renewOnce(challenge: Challenge | undefined): Promise<void> {
    const { server, fetch } = this.#options
    if (!this.#mayTryAgain(true)) throw this.#trouble()
    // Another process may have signed in since: its token must not be overwritten, nor ours be used once more.
    if (await this.#kept.lookAgain()) return
    const record = this.#kept.current
    if (record?.tokens === undefined && !this.#isMachine) throw new SignInNeededError(server.name)
    try {
      const renewed = this.#isMachine
        ? await signInAsMachine(server, { fetch, challenge, kept: record })
        : { ...record!, tokens: await renewTokens(server, record!, authFetch(fetch)) }
      // Whoever signed in or out while we asked knows better.
      if (await this.#kept.lookAgain()) return
      await this.#kept.keep(renewed)
      this.#failed = undefined
    } catch (error) {
      if (error instanceof AuthError) throw asTrouble(error)
      await this.#renewalFailed(judgeTokenError(error), challenge !== undefined)
    }
  }

  async #renewalFailed(verdict: TokenVerdict, wasRefused: boolean): Promise<void> {
    const record = this.#kept.current
    this.#failed = { verdict, at: Date.now(), times: (this.#failed?.times ?? 0) + 1 }
    this.#options.log.warn(`The sign-in to "${this.#options.server.name}" was not renewed.`, {
      reason: verdict.reason,
    })
    if (verdict.kind === 'ended' && record?.tokens !== undefined && !this.#isMachine) {
      await this.#kept.keep({ ...record, tokens: { ...record.tokens, endedAt: Date.now() } })
    } else if (verdict.clientUnknown && record?.client?.from === 'registration') {
      await this.#kept.keep({ ...record, client: { ...record.client, refused: true } })
    }
    // What was there goes on being used for as long as it lasts.
    const tokens = this.#tokens
    if (wasRefused || tokens === undefined || !isUsable(tokens, Date.now())) throw this.#trouble()
  }

  /** A request without any token may try sooner than the renewal ahead of time, yet not in a loop. */
  #mayTryAgain(isUrgent: boolean): boolean {
    if (this.#failed === undefined) return true
    const { at, times } = this.#failed
    const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(times, 10))
    return Date.now() - at >= (isUrgent ? firstPauseMs : pauseMs)
  }

  #trouble(): UpstreamError {
    const { name } = this.#options.server
    const { kind, reason } = this.#failed!.verdict
    if (kind === 'later') return new SignInNotRenewedError(name, reason)
    if (this.#isMachine) {
      return new UpstreamError(
        name,
        'auth',
        `the authorization server refused the client (${reason}).`,
        `Check auth.clientId and its secret or key of ${name} in the configuration.`,
      )
    }
    return new SignInNeededError(name, `the authorization server ended the last sign-in (${reason})`)
  }

  async #signIn(challenge: Challenge): Promise<void> {
    const { server, file, fetch, authorize } = this.#options
    const { redirectPort = unattendedPort } = authOf(server)
    const redirectUrl = `http://127.0.0.1:${redirectPort}/callback`
    this.#renewing ??= signIn(server, { file, fetch, challenge, redirectUrl, authorize: authorize! })
      .then(async (record) => {
        await this.#kept.keep(record)
        this.#failed = undefined
      })
      .catch((error: unknown) => {
        throw asTrouble(error, server.name)
      })
      .finally(() => {
        this.#renewing = undefined
      })
    await this.#renewing
  }

  /** A token that should be good is refused: the server may trust another authorization server now (SEP-2352). */
  async #hasMoved(challenge: Challenge): Promise<boolean> {
    const { server, fetch } = this.#options
    return discoverAuthorizationServer(server, challenge, authFetch(fetch)).then(
      ({ issuer }) => issuer !== this.#kept.current?.issuer,
      () => false,
    )
  }

  /** Nobody is signed in, and the server wants somebody: whether that is a sign-in or a fixed token, it tells. */
  async #explainRefusal(challenge: Challenge): Promise<UpstreamError> {
    const { server, fetch } = this.#options
    const isKnown = this.#kept.current !== undefined || server.auth !== undefined
    if (isKnown || challenge.resourceMetadataUrl !== undefined) return new SignInNeededError(server.name)
    const isPublished = await discoverAuthorizationServer(server, challenge, authFetch(fetch)).then(
      (found) => found.isPublished,
      () => true,
    )
    if (isPublished) return new SignInNeededError(server.name)
    return new UpstreamError(
      server.name,
      'auth',
      'access was refused (HTTP 401).',
      'Set the header the server asks for under "headers", e.g. "Authorization": "Bearer ..." with the token by reference.',
    )
  }
}
