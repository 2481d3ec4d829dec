import type { ToolId } from '../model/tool.js'
import type { Sandbox, SandboxCall, SandboxLimits } from '../sandbox/sandbox.js'

/** What a run needs for tasks that are programs: code of the agent, and capabilities. */
export interface Programs {
  readonly sandbox: Pick<Sandbox, 'run' | 'unavailable'>
  limits(): SandboxLimits
  /** What code means by a name. @throws PmlError */
  resolve(call: Pick<SandboxCall, 'kind' | 'name'>): ToolId
  /** Of a capability, in TypeScript. @throws PmlError */
  codeOf(capability: ToolId): string
}
