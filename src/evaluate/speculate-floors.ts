/** What a prediction has to beat: calls that need no thought, learned from the same sessions. */
import type { ToolId } from '../model/tool.js'
import { callKey } from '../plan/predict/arguments/session-calls.js'
import type { CallSession, CallSet, SetCall } from './read-calls.js'

export const speculateFloorNames = ['constants', 'repeat_last'] as const

export interface SpeculateFloor {
  readonly name: (typeof speculateFloorNames)[number]
  /** Keys of calls, the likeliest first. */
  rank(before: readonly SetCall[]): readonly string[]
}

export function speculateFloors(
  learned: readonly CallSession[],
  { isRead }: Pick<CallSet, 'isRead'>,
): readonly SpeculateFloor[] {
  const counts = new Map<ToolId | '', Map<string, number>>()
  const count = (after: ToolId | '', key: string): void => {
    const keys = counts.get(after) ?? new Map<string, number>()
    counts.set(after, keys.set(key, (keys.get(key) ?? 0) + 1))
  }
  for (const { calls } of learned)
    for (const [at, call] of calls.entries()) {
      if (!isRead(call.tool)) continue
      count('', keyOf(call))
      if (at > 0) count(calls[at - 1]!.tool, keyOf(call))
    }
  const ranked = new Map([...counts].map(([after, keys]) => [after, mostFrequent(keys)]))
  return [
    {
      // Exactly so, most often after this tool, then at all.
      name: 'constants',
      rank: (before) => [
        ...new Set([...(ranked.get(before.at(-1)?.tool ?? '') ?? []), ...(ranked.get('') ?? [])]),
      ],
    },
    {
      name: 'repeat_last',
      rank: (before) => [
        ...new Set(
          before
            .filter(({ tool }) => isRead(tool))
            .map(keyOf)
            .reverse(),
        ),
      ],
    },
  ]
}

function keyOf({ tool, arguments: args }: SetCall): string {
  return callKey(tool, args)
}

function mostFrequent(keys: ReadonlyMap<string, number>): readonly string[] {
  return [...keys].sort(([, a], [, b]) => b - a).map(([key]) => key)
}
