/** What a tool's risk was told by, the first of these that says anything. */
export type RiskSource =
  /** A row of `tool_risk_overrides`: pml risk set. */
  | 'override'
  /** `toolOverrides` of mcp-permissions.yaml. */
  | 'permissions'
  /** `isReadOnly` of its server there. */
  | 'read-only server'
  | 'annotations'
  | 'name'
  | 'description'
  /** `permissionSet` of its server in mcp-permissions.yaml. */
  | 'permission set'
  /** What a capability comes to call, and how far it can be relied on. */
  | 'capability'
  | 'unknown'
