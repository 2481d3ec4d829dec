import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/**
 * What the page sends along with an answer, in a header: random for each process, written into the page. A page of another
 * site cannot read it, and who merely fetches or posts to an address does not know it, so that nothing is approved by accident.
 * A program of this user that reads the page can use it: this keeps out confusion, not somebody who has a shell.
 */
export const pageKey = randomBytes(24).toString('base64url')

export const pageKeyHeader = 'x-pml-page'

export function hasPageKey(request: IncomingMessage): boolean {
  const given = request.headers[pageKeyHeader]
  return typeof given === 'string' && timingSafeEqual(digest(given), digest(pageKey))
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
