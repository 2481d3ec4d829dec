import { canonicalJson } from '../model/json.js'
import { sha256 } from './change-files.js'
import type { Entries } from './client-format.js'

/** The same servers give the same hash, however they are written and in whatever order. */
export function hashEntries(entries: Entries): string {
  // TOML has numbers and dates that JSON has not.
  const plain = JSON.stringify(Object.fromEntries(entries), (_, value: unknown) =>
    typeof value === 'bigint' ? `${value}n` : value,
  )
  return sha256(canonicalJson(JSON.parse(plain)))
}
