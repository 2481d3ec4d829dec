import type { FetchLike } from '@modelcontextprotocol/client'
import { MessageTooLargeError } from '../errors.js'
import { requestStream } from './request-stream.js'

/** `fetch` whose answers are cut off above a size: a body as a whole, an event stream by its events, for it has no end. */
export function limitedFetch(maxBytes: number): FetchLike {
  return async (url, init) => {
    const about = requestStream.getStore()
    const response = await fetch(url, init)
    if (response.body === null) return response
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false
    const onEnd = isStream && about !== undefined ? about.ended : () => {}
    const body = response.body.pipeThrough(byteLimit(maxBytes, isStream, onEnd))
    const { status, statusText, headers } = response
    const limited = new Response(body, { status, statusText, headers })
    // A response we build has no address of its own; event sources ask for it.
    Object.defineProperty(limited, 'url', { value: response.url })
    return limited
  }
}

function byteLimit(
  maxBytes: number,
  byEvent: boolean,
  onEnd: () => void,
): TransformStream<Uint8Array, Uint8Array> {
  const measure = byEvent ? createEventMeasure() : createBodyMeasure()
  return new TransformStream({
    transform(chunk, controller) {
      const bytes = measure(chunk)
      if (bytes > maxBytes) controller.error(new MessageTooLargeError(bytes, maxBytes))
      else controller.enqueue(chunk)
    },
    flush: onEnd,
  })
}

/** Given one chunk after the other, the size that the reader has to hold at most. */
type Measure = (chunk: Uint8Array) => number

function createBodyMeasure(): Measure {
  let bytes = 0
  return (chunk) => {
    bytes += chunk.length
    return bytes
  }
}

const lineFeed = 0x0a
const carriageReturn = 0x0d

/**
 * An event may have any number of lines; an empty one ends it. Lines end with LF, CR or CR LF (HTML standard,
 * "Parsing an event stream").
 */
function createEventMeasure(): Measure {
  let bytes = 0
  let lineIsEmpty = true
  let afterReturn = false
  return (chunk) => {
    let most = 0
    for (let i = 0; i < chunk.length; i += 1) {
      const byte = chunk[i]
      bytes += 1
      const endsSameLine = byte === lineFeed && afterReturn
      afterReturn = byte === carriageReturn
      if (endsSameLine) continue
      const endsLine = byte === lineFeed || byte === carriageReturn
      if (endsLine && lineIsEmpty) {
        most = Math.max(most, bytes)
        bytes = 0
      }
      lineIsEmpty = endsLine
    }
    return Math.max(most, bytes)
  }
}
