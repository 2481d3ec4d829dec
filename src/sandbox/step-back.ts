import { readdirSync } from 'node:fs'
import { setPriority } from 'node:os'

const politeness = 5

/**
 * Code that computes for long must not keep the gateway from its work, nor from ending it. On Linux threads have a priority each, so the
 * Worker's has to be found among them.
 */
export function stepBack(pid: number): void {
  for (const id of threadsOf(pid)) {
    try {
      setPriority(id, politeness)
    } catch {
      // It is gone already.
    }
  }
}

function threadsOf(pid: number): readonly number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map(Number)
  } catch {
    return [pid]
  }
}
