import type { FetchLike } from '@modelcontextprotocol/client'
import { MessageTooLargeError } from '../errors.js'

const newline = 0x0a

/** `fetch` whose answers are cut off above a size: a body as a whole, an event stream by its lines, for it has no end. */
export function limitedFetch(maxBytes: number): FetchLike {
  return async (url, init) => {
    const response = await fetch(url, init)
    if (response.body === null) return response
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false
    const body = response.body.pipeThrough(byteLimit(maxBytes, isStream))
    const { status, statusText, headers } = response
    const limited = new Response(body, { status, statusText, headers })
    // A response we build has no address of its own; event sources ask for it.
    Object.defineProperty(limited, 'url', { value: response.url })
    return limited
  }
}

function byteLimit(maxBytes: number, byLine: boolean): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0
  return new TransformStream({
    transform(chunk, controller) {
      const lastNewline = byLine ? chunk.lastIndexOf(newline) : -1
      bytes = lastNewline === -1 ? bytes + chunk.length : chunk.length - lastNewline - 1
      if (bytes > maxBytes) controller.error(new MessageTooLargeError(bytes, maxBytes))
      else controller.enqueue(chunk)
    },
  })
}
