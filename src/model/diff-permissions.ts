import { type Permissions, riskOfSet, type ServerPermissions, type ToolPermission } from './permissions.js'
import { rankRisk } from './rank-risk.js'
import type { Risk } from './risk.js'
import type { PermissionAudit } from './risk-override.js'

/** An entry of the audit without what is known only where it is written. */
export type PermissionChange = Omit<PermissionAudit, 'id' | 'at' | 'by'>

/**
 * What another content of mcp-permissions.yaml changes, server by server and tool by tool. Where a tool's own risk would count before or
 * after, which nobody knows here, it is taken for an escalation if it can be one.
 */
export function diffPermissions(before: Permissions, after: Permissions): readonly PermissionChange[] {
  return [
    ...changedKeys(before.servers, after.servers).flatMap(([name, from, to]) => diffServer(name, from, to)),
    ...changedKeys(before.toolOverrides, after.toolOverrides).map(([name, from, to]) =>
      diffTool(name, from, to),
    ),
  ]
}

function diffServer(
  name: string,
  from: ServerPermissions = {},
  to: ServerPermissions = {},
): readonly PermissionChange[] {
  const subject = `${name}:*`
  const changes: PermissionChange[] = []
  if ((from.isReadOnly ?? false) !== (to.isReadOnly ?? false))
    changes.push(
      change(subject, {
        before: `isReadOnly: ${from.isReadOnly ?? false}`,
        after: `isReadOnly: ${to.isReadOnly ?? false}`,
        isEscalation: to.isReadOnly === true,
      }),
    )
  if (from.permissionSet !== to.permissionSet)
    changes.push(
      change(subject, {
        before: `permissionSet: ${from.permissionSet ?? 'none'}`,
        after: `permissionSet: ${to.permissionSet ?? 'none'}`,
        isEscalation: rankRisk(riskByDefault(to)) < rankRisk(riskByDefault(from)),
      }),
    )
  return changes
}

function diffTool(
  name: string,
  from: ToolPermission | undefined,
  to: ToolPermission | undefined,
): PermissionChange {
  return change(name, {
    before: from?.risk ?? 'as rated',
    after: to?.risk ?? 'as rated',
    // Without an entry a tool is anything from safe to dangerous.
    isEscalation: rankRisk(to?.risk ?? 'safe') < rankRisk(from?.risk ?? 'dangerous'),
    reason: to?.reason ?? '',
  })
}

function change(
  subject: string,
  what: Pick<PermissionChange, 'before' | 'after' | 'isEscalation'> & { readonly reason?: string },
): PermissionChange {
  return { what: 'permissions-file', subject, reason: '', ...what }
}

function changedKeys<Value>(
  before: Readonly<Record<string, Value>>,
  after: Readonly<Record<string, Value>>,
): readonly (readonly [string, Value | undefined, Value | undefined])[] {
  const own = (of: Readonly<Record<string, Value>>, key: string) =>
    Object.hasOwn(of, key) ? of[key] : undefined
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .sort()
    .map((key) => [key, own(before, key), own(after, key)] as const)
    .filter(([, from, to]) => JSON.stringify(from) !== JSON.stringify(to))
}

function riskByDefault({ permissionSet }: ServerPermissions): Risk {
  return permissionSet === undefined ? 'moderate' : riskOfSet(permissionSet)
}
