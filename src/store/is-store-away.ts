import { StoreError } from '../errors.js'

/** Classes of SQLSTATE that say nothing about what was written: connection, rights, resources, shutdown, the system. */
const ofTheServer = new Set(['08', '28', '3D', '53', '57', '58'])

/** Whether a write failed because nobody was there to take it, and the same write may succeed later; false: it was refused as it is. */
export function isStoreAway(error: unknown): boolean {
  if (!(error instanceof StoreError)) return false
  // Ours: a value that cannot be written down.
  if (error.cause instanceof TypeError || error.cause instanceof RangeError) return false
  const code = (error.cause as { readonly code?: unknown } | undefined)?.code
  // A connection that broke has no code, or one of the system.
  if (typeof code !== 'string' || !/^[0-9A-Z]{5}$/.test(code) || /^E[A-Z]{4}$/.test(code)) return true
  return ofTheServer.has(code.slice(0, 2))
}
