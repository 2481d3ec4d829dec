import { type Capability, type CapabilityId, type CapabilityUse, capabilityId } from '../model/capability.js'
import type { JsonObject } from '../model/json.js'
import type { ToolId } from '../model/tool.js'
import { describeCapability } from './describe-capability.js'
import { nameCapability } from './name-capability.js'
import type { LiftedProgram } from './program/program.js'
import { slugOf } from './slug-of.js'

export interface Birth {
  readonly lifted: LiftedProgram
  /** Redacted; absent: nobody said what it was for. */
  readonly intent?: string
  readonly tools: readonly ToolId[]
  readonly calls: readonly CapabilityId[]
  /** The run that it was learned from; absent: it was written, or brought from elsewhere, and has not run. */
  readonly use?: CapabilityUse
  readonly outputSchema?: JsonObject
  /** `learned` where it is not said. */
  readonly origin?: Capability['origin']
  /** By whoever made it; made up where it is not said. */
  readonly name?: string
  readonly description?: string
  readonly now: number
  /** Names that others have. */
  readonly taken: ReadonlySet<string>
}

export function bornCapability(birth: Birth): Capability {
  const { lifted, intent, tools, calls, use, outputSchema, now, taken } = birth
  const name =
    birth.name ?? nameCapability({ intent, tools: [...tools, ...calls], taken, values: lifted.arguments })
  const succeeded = use?.success === true
  return {
    id: capabilityId(slugOf(name) || 'procedure', lifted.structure),
    name,
    description:
      birth.description ??
      describeCapability({ intent, tools: [...tools, ...calls], arguments: lifted.arguments }),
    intents: intent === undefined || intent === '' ? [] : [intent],
    code: lifted.code,
    structure: lifted.structure,
    inputSchema: lifted.inputSchema,
    ...(outputSchema !== undefined && { outputSchema }),
    tools,
    calls,
    origin: birth.origin ?? 'learned',
    uses: use === undefined ? 0 : 1,
    successes: succeeded ? 1 : 0,
    meanMs: succeeded ? use.ms : 0,
    recent: use === undefined ? [] : [use],
    createdAt: now,
    lastUsedAt: use?.at ?? now,
  }
}
