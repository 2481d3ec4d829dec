import type { Risk } from './risk.js'
import type { ToolId } from './tool.js'

/** What a person says a tool's risk is, over everything else. */
export interface RiskOverride {
  readonly tool: ToolId
  readonly risk: Risk
  readonly reason: string
  readonly setAt: number
}

/** A change of what is allowed, for good: nothing deletes these. */
export interface PermissionAudit {
  /** UUIDv7. */
  readonly id: string
  readonly at: number
  /** `risk-set`, `risk-unset`, `permissions-file`, `preference`, `preference-undone`, `config-rule`. */
  readonly what: string
  /** A tool, `server:*`, or the file. */
  readonly subject: string
  readonly before: string
  readonly after: string
  /** More is allowed than before. */
  readonly isEscalation: boolean
  readonly reason: string
  /** Through which door it came. */
  readonly by: string
}
