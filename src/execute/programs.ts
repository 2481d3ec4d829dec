import type { Json, JsonObject } from '../model/json.js'
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
  /** Parameters of a capability that are required and were not given. */
  missing(capability: ToolId, args: JsonObject): readonly string[]
  /** What the same call gave a moment ago, where that still holds. */
  kept(call: ProgramCall): { readonly value: Json; readonly at: number } | undefined
  /** To be asked before a program starts: what is read from then on is kept only if nothing was changed meanwhile. */
  mark(): number
  keep(call: ProgramCall, value: Json, mark: number): void
}

export interface ProgramCall {
  readonly tool: ToolId
  readonly arguments: JsonObject
  readonly session: string
}
