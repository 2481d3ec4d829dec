import type { Risk } from '../../model/risk.js'

export type WorkflowType = 'read' | 'write' | 'mixed'

/** Of all tools of a plan, or of what is at hand: `read` where all are safe, `write` where none is. */
export function workflowTypeOf(risks: readonly Risk[]): WorkflowType {
  const safe = risks.filter((risk) => risk === 'safe').length
  if (safe === risks.length) return 'read'
  return safe === 0 ? 'write' : 'mixed'
}
