import { ProtocolError } from '@modelcontextprotocol/server'
import type { PmlConfig } from '../model/config.js'
import type { JsonObject } from '../model/json.js'
import type { Redact } from '../model/redact.js'
import { bytesPerToken } from './estimate-tokens.js'
import type { ResultStore } from './result-store.js'
import { jsonRpc, rpcError } from './wire-error.js'

/** Kept results as resources, so that they can be read where control_workflow is not listed. */
export interface ResultResources {
  /** The template that clients see. */
  readonly template: JsonObject
  isOurs(uri: string): boolean
  read(uri: string): JsonObject
}

export interface ResultResourcesDeps {
  config(): PmlConfig
  readonly results: ResultStore
  readonly redact: Redact
}

const prefix = 'pml://result/'
/** What a handle names never changes. */
const fixedTtlMs = 3_600_000

export function createResultResources(deps: ResultResourcesDeps): ResultResources {
  return {
    template: {
      name: 'result',
      uriTemplate: `${prefix}{handle}{?offset}`,
      description: 'A tool result that was cut; offset is the first character to read.',
    },
    isOurs: (uri) => uri.startsWith(prefix),
    read(uri) {
      const place = parseUri(uri)
      if (place === undefined)
        throw new ProtocolError(jsonRpc.invalidParams, `No resource ${uri}`, {
          uri,
          expected: `${prefix}HANDLE`,
        })
      try {
        const pageChars = deps.config().maxResultTokens * bytesPerToken
        const page = deps.results.read(place.handle, place.offset, pageChars)
        if (page.kind === 'blob')
          return { contents: [{ uri, mimeType: page.mimeType, blob: page.data }], ttlMs: fixedTtlMs }
        const { offset, total, next } = page
        const link = next === undefined ? {} : { next: `${prefix}${place.handle}?offset=${next}` }
        const _meta = { 'casys-pml/page': { offset, total, ...link } }
        return { contents: [{ uri, mimeType: 'text/plain', text: page.text, _meta }], ttlMs: fixedTtlMs }
      } catch (error) {
        throw rpcError(error, deps.redact)
      }
    },
  }
}

function parseUri(uri: string): { readonly handle: string; readonly offset: number } | undefined {
  const match = /^pml:\/\/result\/([\w-]{1,64})(?:\?offset=(\d{1,15}))?$/.exec(uri)
  return match === null ? undefined : { handle: match[1]!, offset: Number(match[2] ?? 0) }
}
