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
    const declared = Number(request.headers['content-length'])
    if (declared > maxBytes) reject(new MessageTooLargeError(declared, maxBytes))
    const chunks: Buffer[] = []
    let bytes = 0
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= maxBytes) {
        chunks.push(chunk)
        return
      }
      chunks.length = 0
      reject(new MessageTooLargeError(bytes, maxBytes))
      // A little more is drained unseen, so that the answer reaches a client that is still writing.
      if (bytes > maxBytes + drainedBytes) request.destroy()
    })
    request.on('end', () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)))
    request.on('error', reject)
    request.on('close', () => {
      if (!request.complete) reject(new UsageError('The request ended before its body did.'))
    })
  })
}
