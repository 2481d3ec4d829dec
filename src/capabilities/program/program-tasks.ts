import type { Json } from '../../model/json.js'
import type { Program, ProgramCall, ProgramEdge } from './program.js'

/** A program as a DAG, for a preview. Nobody runs it: loops are drawn once, and both ways of a branch. */
export interface ProgramTasks {
  readonly tasks: readonly ProgramTask[]
  readonly edges: readonly ProgramEdge[]
}

export interface ProgramTask {
  readonly id: string
  /** `(computed)` where only the run will say. */
  readonly tool: string
  readonly kind: ProgramCall['kind']
  readonly arguments: Json
  readonly dependsOn: readonly string[]
  readonly inside?: NonNullable<ProgramCall['inside']>
}

export function programTasks({ calls, edges }: Program): ProgramTasks {
  return {
    tasks: calls.map((call) => ({
      id: call.id,
      tool: call.name ?? computedName,
      kind: call.kind,
      arguments: call.arguments ?? {},
      dependsOn: [...new Set(edges.filter(({ to }) => to === call.id).map(({ from }) => from))],
      ...(call.inside !== undefined && { inside: call.inside }),
    })),
    edges,
  }
}

export const computedName = '(computed)'
