import { shuffle } from './draw.js'

/** A fifth of the tasks, rounded up. */
const heldOut = 0.2

export interface Grouped {
  /** Its task: sessions of one are never on both sides of a split. */
  readonly group: string
}

/** All sessions of a task are on one side. Sorted first: the order of rows in a set does not matter. */
export function splitByGroup<Session extends Grouped>(
  sessions: readonly Session[],
  seed: number,
): { readonly learned: readonly Session[]; readonly asked: readonly Session[] } {
  const groups = groupsOf(sessions)
  const asked = new Set(shuffle(groups, seed).slice(0, Math.ceil(groups.length * heldOut)))
  return {
    learned: sessions.filter(({ group }) => !asked.has(group)),
    asked: sessions.filter(({ group }) => asked.has(group)),
  }
}

/** Each once, sorted. */
export function groupsOf(sessions: readonly Grouped[]): readonly string[] {
  return [...new Set(sessions.map(({ group }) => group))].sort()
}
