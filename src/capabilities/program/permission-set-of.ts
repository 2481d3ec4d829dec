import type { Risk } from '../../model/risk.js'

/** What a program has to be allowed at least. */
export type PermissionSet = 'minimal' | 'readonly' | 'standard' | 'trusted'

/** By the tools that it calls. */
export function permissionSetOf(tools: readonly { readonly risk: Risk }[]): PermissionSet {
  if (tools.length === 0) return 'minimal'
  if (tools.some(({ risk }) => risk === 'dangerous')) return 'trusted'
  return tools.some(({ risk }) => risk === 'moderate') ? 'standard' : 'readonly'
}
