import { StoreError } from '../errors.js'

/** SQLSTATE (its first two characters name the class) or a system error's code -> what to do. */
const hints: Readonly<Record<string, string>> = {
  '08': 'The connection broke: check that the database server is up, then try again.',
  '28': 'Check the user and the password in the database URL.',
  '3D': 'Create that database, or correct its name in the database URL.',
  '42501': 'Check that the user of the database URL owns its tables and may create some.',
  '53': 'The database is short of disk space, memory or connections: free some.',
  '57': 'The database server is stopping or starting: try again in a moment.',
  ECONNREFUSED: 'Check the host and the port in the database URL, and that the server is up.',
  ENOTFOUND: 'Check the host in the database URL.',
  ENOSPC: 'The disk is full: free some space.',
  EACCES: 'Check who owns the data directory: PML must be able to write there.',
}

export function toStoreError(
  what: string,
  cause: unknown,
  otherwise = 'The log has the whole error; nothing was half saved.',
): StoreError {
  if (cause instanceof StoreError) return cause
  const code = codeOf(cause)
  const reason = cause instanceof Error && cause.message !== '' ? cause.message : code || String(cause)
  const hint = hints[code] ?? hints[code.slice(0, 2)] ?? otherwise
  return new StoreError(`${what}: ${reason}`, hint, { cause })
}

/** Node reports a host with several addresses as one AggregateError without a message of its own. */
function codeOf(cause: unknown): string {
  const code = (cause as { readonly code?: unknown } | null | undefined)?.code
  return typeof code === 'string' ? code : ''
}
