import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { MessageTooLargeError, UsageError } from '../errors.js'

const drainedBytes = 16 * 1024 * 1024

/**
 * The JSON body of a request, read once and never beyond the limit.
 * @throws MessageTooLargeError, UsageError when it is not UTF-8 or not JSON
 */
export async function readJsonBody(request: IncomingMessage, maxBytes: number): Promise<unknown> {
  const body = await readBody(request, maxBytes)
  if (!isUtf8(body)) throw new UsageError('Parse error: the body is not UTF-8', 'Send JSON as UTF-8.')
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    throw new UsageError('Parse error: the body is not JSON', 'Send one JSON value.')
  }
}

function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const declared = Number(request.headers['content-length'] ?? 0)
    const chunks: Buffer[] = []
    let bytes = 0
    const isTooLarge = (): boolean => Math.max(bytes, declared) > maxBytes
    const refuse = (): void => reject(new MessageTooLargeError(Math.max(bytes, declared), maxBytes))
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (!isTooLarge()) {
        chunks.push(chunk)
        return
      }
      chunks.length = 0
      if (bytes <= maxBytes + drainedBytes) return
      refuse()
      setImmediate(() => request.destroy())
    })
    // Refused at its end, drained unseen: a client that is still writing may not see an answer before the connection breaks.
    request.on('end', () => {
      if (isTooLarge()) refuse()
      else resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks))
    })
    request.on('error', reject)
    request.on('close', () => {
      if (!request.complete) reject(new UsageError('The request ended before its body did.'))
    })
  })
}
