import type { Risk } from './risk.js'
import type { ToolId } from './tool.js'

/** What a person says of servers and tools in mcp-permissions.yaml, beside the configuration. */
export interface Permissions {
  readonly servers: Readonly<Record<string, ServerPermissions>>
  /** By `server:tool`. */
  readonly toolOverrides: Readonly<Record<string, ToolPermission>>
}

export interface ServerPermissions {
  readonly permissionSet?: PermissionSet
  /** Nothing that it does changes anything. */
  readonly isReadOnly?: boolean
}

export interface ToolPermission {
  readonly risk: Risk
  readonly reason?: string
}

/** What a server may do, as far as nothing is known of the single tool. */
export const permissionSets = [
  'minimal',
  'readonly',
  'filesystem',
  'network-api',
  'mcp-standard',
  'trusted',
] as const
export type PermissionSet = (typeof permissionSets)[number]

/** Nobody wrote such a file. */
export const noPermissions: Permissions = { servers: {}, toolOverrides: {} }

/** `trusted` may do anything, which is dangerous; the others do no harm without a word that says so. */
export function riskOfSet(set: PermissionSet): Risk {
  if (set === 'minimal' || set === 'readonly') return 'safe'
  return set === 'trusted' ? 'dangerous' : 'moderate'
}

/** A name of the file is the file's: one like `constructor` has nothing of its own. */
export function serverPermissions(server: string, { servers }: Permissions): ServerPermissions {
  return (Object.hasOwn(servers, server) ? servers[server] : undefined) ?? {}
}

export function toolPermission(tool: ToolId, { toolOverrides }: Permissions): ToolPermission | undefined {
  return Object.hasOwn(toolOverrides, tool) ? toolOverrides[tool] : undefined
}
