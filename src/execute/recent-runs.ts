import { jsonLength } from '../model/json-length.js'
import type { Run } from '../model/run.js'

/**
 * The runs that ended last, so that `status` right after the end needs no database. Bounded by number and by size, in
 * which the oldest go first; the newest stays whatever its size, because it is the one that is asked for.
 */
export interface RecentRuns {
  keep(ended: Run): void
  get(id: string): Run | undefined
}

export function createRecentRuns(limits: { readonly runs: number; readonly bytes: number }): RecentRuns {
  const kept = new Map<string, { readonly ended: Run; readonly bytes: number }>()
  let bytes = 0
  return {
    keep(ended) {
      // JavaScript keeps a character in one byte or two. Beyond the limit the exact size makes no difference.
      const size = jsonLength(ended, limits.bytes) * 2
      bytes -= kept.get(ended.id)?.bytes ?? 0
      kept.delete(ended.id)
      kept.set(ended.id, { ended, bytes: size })
      bytes += size
      for (const [id, oldest] of kept) {
        if (id === ended.id || (kept.size <= limits.runs && bytes <= limits.bytes)) break
        kept.delete(id)
        bytes -= oldest.bytes
      }
    },
    get: (id) => kept.get(id)?.ended,
  }
}
