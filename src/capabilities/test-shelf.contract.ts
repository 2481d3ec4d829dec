/** Capabilities for tests, with as little said as each needs. */
import type { Capability, CapabilityDependency, CapabilityId, CapabilityUse } from '../model/capability.js'
import { formatToolId, type ToolId } from '../model/tool.js'
import type { ToolSuccess } from './capability-shelf.js'
import { createCapabilityShelf } from './create-capability-shelf.js'

export const noon = Date.UTC(2026, 0, 15, 12)
export const day = 24 * 3_600_000

export function capId(name: string): CapabilityId {
  return formatToolId('cap', `${name.replaceAll('_', '-')}-00beef`)
}

export function toolId(text: string): ToolId {
  const [server = '', tool = ''] = text.split(':')
  return formatToolId(server, tool)
}

export function capability(name: string, changes: Partial<Capability> = {}): Capability {
  return {
    id: capId(name),
    name,
    description: `Does ${name}.`,
    intents: [],
    code: 'return args.path',
    structure: `structure of ${name}`,
    inputSchema: { type: 'object', properties: { path: { type: 'string' } } },
    tools: [],
    calls: [],
    origin: 'learned',
    uses: 0,
    successes: 0,
    meanMs: 0,
    recent: [],
    createdAt: noon,
    lastUsedAt: noon,
    ...changes,
  }
}

export function dependency(
  from: string,
  to: string,
  type: CapabilityDependency['type'] = 'dependency',
  changes: Partial<CapabilityDependency> = {},
): CapabilityDependency {
  return {
    from: capId(from),
    to: capId(to),
    type,
    count: 1,
    successes: 1,
    lastSeen: noon,
    isManual: false,
    ...changes,
  }
}

export function use(changes: Partial<CapabilityUse> = {}): CapabilityUse {
  return { at: noon, success: true, ms: 100, callsMs: 100, ...changes }
}

export function shelfOf(
  capabilities: readonly Capability[],
  dependencies: readonly CapabilityDependency[] = [],
  {
    now = () => noon,
    toolSuccess = () => undefined,
  }: { readonly now?: () => number; readonly toolSuccess?: (tool: ToolId) => ToolSuccess | undefined } = {},
) {
  const shelf = createCapabilityShelf({ now, toolSuccess })
  shelf.load(capabilities, dependencies)
  return shelf
}
