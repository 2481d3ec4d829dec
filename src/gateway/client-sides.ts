/** How a server reaches the client behind a request: in 2025 revisions by asking it, since 2026-07-28 in the answer. */
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  LOG_LEVEL_META_KEY,
  type Server,
  type ServerContext,
  type StandardSchemaV1,
} from '@modelcontextprotocol/server'
import type { ClientSide, InputRound, Notice } from '../model/client-side.js'
import { isObject, type JsonObject } from '../model/json.js'
import { isWanted } from './log-levels.js'
import { oneLine } from './one-line.js'
import type { Caller } from './tools/meta-tool.js'

/** What one connection of a 2025 revision has set. */
export interface ConnectionState {
  logLevel: string | undefined
}

/** People answer, so it may take a while; a client that never does must not be waited for without end. */
const askTimeoutMs = 30 * 60_000

/** It stands in sentences that a person reads. */
const longestName = 80
/** What nearly every client's name looks like: it need not be cleaned, call by call. */
const isPlainName = /^[\w./@-][\w ./@-]{0,78}$/
export const unknownClient = 'unknown client'

export const modernSince = '2026-07-28'

export function isModernServer(server: Server): boolean {
  const revision = server.getNegotiatedProtocolVersion()
  return revision !== undefined && revision >= modernSince
}

/** The client of a connection of a 2025 revision; `ctx` ties what is sent to the stream of the request it belongs to. */
export function legacyClientSide(server: Server, state: ConnectionState, ctx?: ServerContext): ClientSide {
  const about = ctx?.mcpReq
  return {
    get capabilities() {
      return (server.getClientCapabilities() ?? {}) as JsonObject
    },
    get logLevel() {
      return state.logLevel
    },
    takesInputRequired: false,
    ask: ({ method, params }, signal) =>
      server.request({ method, params }, anyObject, {
        signal,
        timeout: askTimeoutMs,
        ...(about && { relatedRequestId: about.id }),
      }),
    tell(notice) {
      if (!passes(notice, state.logLevel)) return
      const sent = about === undefined ? server.notification(notice) : about.notify(notice)
      sent.catch(() => {})
    },
    letGo: () => ctx?.http?.closeSSE?.(),
  }
}

/** The client of one request of 2026-07-28. Whoever lets it be asked replaces `ask`: see input-pauses.ts. */
export function modernClientSide({ envelope, notify }: ServerContext['mcpReq']): ClientSide {
  const sent = (envelope ?? {}) as Readonly<Record<string, unknown>>
  const capabilities = sent[CLIENT_CAPABILITIES_META_KEY]
  const asked = sent[LOG_LEVEL_META_KEY]
  const logLevel = typeof asked === 'string' ? asked : undefined
  return {
    capabilities: isObject(capabilities) ? (capabilities as JsonObject) : {},
    takesInputRequired: true,
    logLevel,
    ask: cannotAsk,
    tell(notice) {
      // In this revision log messages go to those who ask for them, and nothing else comes unasked.
      if (notice.method !== 'notifications/message' || logLevel === undefined) return
      if (passes(notice, logLevel)) notify(notice).catch(() => {})
    },
  }
}

export function cannotAsk(): Promise<never> {
  return Promise.reject(new Error('The client is not waiting for an answer any more.'))
}

/** Everything a handler knows about who sent the request it handles. */
export function callerOf(
  server: Server,
  ctx: ServerContext,
  session: string,
  state: ConnectionState,
): Caller & { end(): void } {
  const { mcpReq } = ctx
  const { progressToken, ...meta } = (mcpReq._meta ?? {}) as JsonObject
  const progress = progressToken === undefined ? undefined : openProgress(mcpReq, progressToken)
  const round = roundOf(mcpReq)
  return {
    session,
    clientName: clientNameOf(server, mcpReq.envelope),
    signal: mcpReq.signal,
    client: isModernServer(server) ? modernClientSide(mcpReq) : legacyClientSide(server, state, ctx),
    ...(progress && { onProgress: progress.tell }),
    ...(Object.keys(meta).length > 0 && { meta }),
    ...(round && { round }),
    end: () => progress?.end(),
  }
}

/** What a client calls itself: since 2026-07-28 in the envelope of every request, before that in the handshake. */
export function clientNameOf(server: Server, envelope: unknown): string {
  const info = isModernServer(server)
    ? (envelope as Readonly<Record<string, unknown>> | undefined)?.[CLIENT_INFO_META_KEY]
    : server.getClientVersion()
  const name = (info as { readonly name?: unknown } | undefined)?.name
  if (typeof name !== 'string') return unknownClient
  return isPlainName.test(name) ? name : oneLine(name, longestName) || unknownClient
}

function roundOf({ inputResponses, requestState }: ServerContext['mcpReq']): InputRound | undefined {
  const state = requestState()
  if (inputResponses === undefined && state === undefined) return undefined
  return {
    ...(inputResponses !== undefined && { inputResponses: inputResponses as JsonObject }),
    ...(typeof state === 'string' && { requestState: state }),
  }
}

/** Progress goes to the client until the answer does: a notification after it would have nobody to reach. */
function openProgress(
  { notify }: ServerContext['mcpReq'],
  progressToken: unknown,
): { readonly tell: NonNullable<Caller['onProgress']>; end(): void } {
  let open = true
  return {
    tell(progress) {
      if (!open) return
      notify({ method: 'notifications/progress', params: { progressToken, ...progress } } as never).catch(
        () => {},
      )
    },
    end() {
      open = false
    },
  }
}

function passes({ method, params }: Notice, least: string | undefined): boolean {
  return method !== 'notifications/message' || isWanted(params.level, least)
}

/** The client's answer is for the server to judge. */
const anyObject: StandardSchemaV1<unknown, JsonObject> = {
  '~standard': {
    version: 1,
    vendor: 'casys-pml',
    validate: (value) =>
      isObject(value)
        ? { value: value as JsonObject }
        : { issues: [{ message: 'the answer is not an object' }] },
  },
}
