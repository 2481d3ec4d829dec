import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type JSONRPCMessage,
  LOG_LEVEL_META_KEY,
  PROTOCOL_VERSION_META_KEY,
  SdkError,
  SdkErrorCode,
  SERVER_INFO_META_KEY,
  type Server,
} from '@modelcontextprotocol/server'
import { type ClientSide, nobody } from '../model/client-side.js'
import { isObject, type JsonObject } from '../model/json.js'
import type { ToolResult } from '../model/tool-call.js'
import type { CallByName } from './call-by-name.js'
import { clientNameOf, modernSince } from './client-sides.js'
import { fitEra } from './mcp-server.js'
import { jsonRpc } from './wire-error.js'

/**
 * The fast lane: a plain tools/call goes past the SDK, which checks every message against its schemas three times over and so
 * costs more than the rest of the gateway. It takes only what has one meaning: a call with a name and arguments, on a
 * connection whose revision the SDK has settled. Whatever has more to it (progress, input rounds, an envelope that is odd in
 * any way) goes to the SDK. The answers are the same to the letter: call-lane.test.ts compares them.
 */
export interface CallLane {
  /** True when the message was taken, and nobody else should see it. */
  take(message: JSONRPCMessage): boolean
  /** The client is gone: calls under way are cancelled. */
  close(): void
}

export interface CallLaneOptions {
  /** The SDK's server of this connection, once there is one. */
  server(): Server | undefined
  readonly serverInfo: { readonly name: string; readonly version: string }
  readonly callByName: CallByName
  readonly session: string
  /** Who may be asked while a call of a 2025 revision runs. */
  client(server: Server): ClientSide
  send(message: JSONRPCMessage): Promise<void>
}

type Id = string | number

const plainParams = new Set(['name', 'arguments', '_meta'])
const noArguments: JsonObject = {}

export function createCallLane(options: CallLaneOptions): CallLane {
  const open = new Map<Id, AbortController>()
  /** Never aborted, so as good as new: making one costs a tenth of a call. */
  const spare: AbortController[] = []

  const answer = async (id: Id, call: PlainCall, server: Server): Promise<void> => {
    const controller = spare.pop() ?? new AbortController()
    open.set(id, controller)
    let message: object
    try {
      const caller = {
        session: options.session,
        clientName: clientNameOf(server, call.meta),
        signal: controller.signal,
        client: call.modern ? nobody : options.client(server),
      }
      const { result, tool } = await options.callByName(call.name, call.arguments, caller)
      const fitted: ToolResult = fitEra(server, result, tool?.definition.outputSchema)
      message = { result: call.modern ? asModern(fitted, options.serverInfo) : fitted, jsonrpc: '2.0', id }
    } catch (error) {
      message = { jsonrpc: '2.0', id, error: toRpcError(error) }
    }
    open.delete(id)
    // As the SDK does: who cancelled does not wait for an answer.
    if (controller.signal.aborted) return
    spare.push(controller)
    await options.send(message as JSONRPCMessage).catch(() => {})
  }

  return {
    take(message) {
      if (!('method' in message)) return false
      if (message.method === 'notifications/cancelled') {
        const controller = open.get(message.params?.requestId as Id)
        controller?.abort()
        return controller !== undefined
      }
      if (message.method !== 'tools/call' || !('id' in message) || open.has(message.id)) return false
      const server = options.server()
      const revision = server?.getNegotiatedProtocolVersion()
      if (server === undefined || revision === undefined) return false
      const call = readPlainCall(message.params, revision)
      if (call === undefined) return false
      void answer(message.id, call, server)
      return true
    },
    close() {
      // As the SDK says it: nobody has cancelled anything, there is nobody any more.
      const gone = new SdkError(SdkErrorCode.ConnectionClosed, 'Connection closed')
      for (const controller of open.values()) controller.abort(gone)
    },
  }
}

interface PlainCall {
  readonly name: string
  readonly arguments: JsonObject
  readonly modern: boolean
  /** The envelope, where it has one. */
  readonly meta?: JsonObject
}

function readPlainCall(params: unknown, revision: string): PlainCall | undefined {
  if (!isObject(params)) return undefined
  for (const key in params) if (!plainParams.has(key)) return undefined
  const { name, arguments: args = noArguments, _meta: meta } = params
  if (typeof name !== 'string' || name === '' || !isObject(args)) return undefined
  const modern = revision >= modernSince
  if (modern ? !isPlainEnvelope(meta, revision) : meta !== undefined) return undefined
  return { name, arguments: args, modern, ...(modern && { meta: meta as JsonObject }) }
}

/** What every request of the 2026-07-28 revision carries, and nothing that asks for more. */
function isPlainEnvelope(meta: unknown, revision: string): boolean {
  if (!isObject(meta) || meta[PROTOCOL_VERSION_META_KEY] !== revision) return false
  if (meta.progressToken !== undefined || meta[LOG_LEVEL_META_KEY] !== undefined) return false
  const capabilities = meta[CLIENT_CAPABILITIES_META_KEY]
  const info = meta[CLIENT_INFO_META_KEY]
  // A client that can be asked may be, which ends its request before the call: that is not plain.
  if (!isObject(capabilities) || Object.keys(capabilities).length > 0) return false
  return info === undefined || isNamed(info)
}

function isNamed(info: unknown): boolean {
  return isObject(info) && typeof info.name === 'string' && typeof info.version === 'string'
}

function asModern(result: ToolResult, serverInfo: CallLaneOptions['serverInfo']): ToolResult {
  const meta = result._meta
  const stamped = isObject(meta)
    ? { [SERVER_INFO_META_KEY]: serverInfo, ...meta }
    : { [SERVER_INFO_META_KEY]: serverInfo }
  return { ...result, resultType: 'complete', _meta: stamped }
}

function toRpcError(error: unknown): object {
  const { code, message, data } = error as { code?: unknown; message?: string; data?: unknown }
  return {
    code: Number.isSafeInteger(code) ? code : jsonRpc.internalError,
    message: message ?? 'Internal error',
    ...(data !== undefined && { data }),
  }
}
