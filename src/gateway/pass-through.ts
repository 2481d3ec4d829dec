/** Requests about resources, prompts and completion: found their server, passed on as they are, and the answer back. */
import { ProtocolError, ResourceNotFoundError } from '@modelcontextprotocol/server'
import { UpstreamRpcError } from '../errors.js'
import type { JsonObject } from '../model/json.js'
import type { Redact } from '../model/redact.js'
import type { SendRequest } from '../model/tool-call.js'
import type { OffersView, Place } from './offers-view.js'
import type { ResultResources } from './result-resources.js'
import type { Caller } from './tools/meta-tool.js'
import type { WatchedResources } from './watched-resources.js'
import { jsonRpc, rpcError } from './wire-error.js'

export interface PassThrough {
  readResource(params: JsonObject, caller: Caller): Promise<JsonObject>
  getPrompt(params: JsonObject, caller: Caller): Promise<JsonObject>
  complete(params: JsonObject, caller: Caller): Promise<JsonObject>
  /** Until the watcher is dropped. */
  watchResource(watcher: object, uri: string): Promise<void>
}

export interface PassThroughDeps {
  readonly offers: OffersView
  readonly sendRequest: SendRequest
  readonly results: ResultResources
  readonly watched: WatchedResources
  /** An unknown name first waits, within bounds, for servers on their first attempt. */
  allSettled(): Promise<void>
  readonly redact: Redact
}

/** What servers answer for a resource they do not have: -32002 before 2026-07-28, -32602 since. */
const notFoundCodes = new Set<number>([-32002, jsonRpc.invalidParams])

export function createPassThrough(deps: PassThroughDeps): PassThrough {
  const { offers } = deps
  const send = async (
    { server }: Place,
    method: string,
    params: JsonObject,
    caller: Caller,
  ): Promise<JsonObject> => {
    try {
      return await deps.sendRequest({ ...caller, server, method, params })
    } catch (error) {
      throw toRpcError(error, deps.redact)
    }
  }

  return {
    async readResource(params, caller) {
      const uri = String(params.uri)
      if (deps.results.isOurs(uri)) return deps.results.read(uri)
      if (offers.findResource(uri).length === 0) await deps.allSettled()
      let missing: unknown
      for (const place of offers.findResource(uri)) {
        try {
          return await send(place, 'resources/read', { ...params, uri: place.name }, caller)
        } catch (error) {
          if (!(error instanceof ProtocolError) || !notFoundCodes.has(error.code)) throw error
          missing ??= error
        }
      }
      throw missing ?? new ResourceNotFoundError(uri)
    },
    async getPrompt(params, caller) {
      const place = await findPrompt(String(params.name), deps)
      return send(place, 'prompts/get', { ...params, name: place.name }, caller)
    },
    async complete(params, caller) {
      const ref = (params.ref ?? {}) as JsonObject
      if (ref.type === 'ref/prompt') {
        const place = await findPrompt(String(ref.name), deps)
        return send(place, 'completion/complete', { ...params, ref: { ...ref, name: place.name } }, caller)
      }
      const uri = String(ref.uri)
      const place = offers.findTemplate(uri) ?? offers.findResource(uri)[0]
      if (place === undefined) throw new ResourceNotFoundError(uri)
      return send(place, 'completion/complete', { ...params, ref: { ...ref, uri: place.name } }, caller)
    },
    async watchResource(watcher, uri) {
      try {
        await deps.watched.watch(watcher, uri)
      } catch (error) {
        throw toRpcError(error, deps.redact)
      }
    },
  }
}

async function findPrompt(name: string, { offers, allSettled }: PassThroughDeps): Promise<Place> {
  const known = offers.findPrompt(name)
  if (known !== undefined) return known
  await allSettled()
  const found = offers.findPrompt(name)
  if (found !== undefined) return found
  const closest = offers.closestPrompts(name)
  const near = closest.length > 0 ? ` Closest: ${closest.join(', ')}.` : ''
  throw new ProtocolError(jsonRpc.invalidParams, `No prompt "${name.slice(0, 200)}".${near}`)
}

/** What a server refused stays the error it was. */
function toRpcError(error: unknown, redact: Redact): Error {
  if (error instanceof UpstreamRpcError) return new ProtocolError(error.rpcCode, error.rpcMessage, error.data)
  return rpcError(error, redact)
}
