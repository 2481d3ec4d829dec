import type { ToolPreference } from '../../model/tool-preference.js'

/** `approved`: plans with the tool may run at once. `refused`: it asks, also where its risk would not. */
export type Standing = 'approved' | 'refused'

/** A habit, not a slip: the third time in a row nobody looks at the question any more. */
const approvalsInARow = 3
/** A no weighs more: being asked once too often costs a moment, a call that nobody wanted may cost more. */
const rejectionsInARow = 2

/** One answer of the other kind begins anew, so that one approval ends a refusal and one rejection ends an approval. */
export function standingOf({ streak }: Pick<ToolPreference, 'streak'>): Standing | undefined {
  if (streak >= approvalsInARow) return 'approved'
  return streak <= -rejectionsInARow ? 'refused' : undefined
}
