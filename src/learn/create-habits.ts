import type { ArgumentHabit } from '../model/experience.js'
import { canonicalJson } from '../model/json.js'
import type { ToolId } from '../model/tool.js'
import type { ArgumentUse } from './read-uses.js'

/** How the arguments of tools were filled, counted; once for each task, not for each of its elements. */
export interface Habits {
  count(tool: ToolId, uses: readonly ArgumentUse[]): void
  of(tool: ToolId): readonly ArgumentHabit[]
}

/** Of constants and of wirings each: what has more is no habit. The rarest goes first, the oldest of equals. */
const mostOfEachKind = 20
const mostArguments = 100
/** Some 20 MB; the tools that were not used for longest go first. */
const mostInAll = 50_000

interface Argument {
  filled: number
  readonly ways: Map<string, Way>
}

interface Way {
  readonly how: ArgumentHabit['how']
  count: number
}

export function createHabits(): Habits {
  /** Tools, and the ways of each argument, in the order in which they were last seen. */
  const tools = new Map<ToolId, Map<string, Argument>>()
  let inAll = 0

  const countWay = (argument: Argument, how: ArgumentHabit['how']): void => {
    const key = canonicalJson(how)
    const known = argument.ways.get(key)
    if (known !== undefined) argument.ways.delete(key)
    else {
      inAll += 1
      const alike = [...argument.ways].filter(([, way]) => way.how.kind === how.kind)
      if (alike.length >= mostOfEachKind) {
        const [rarest] = alike.reduce((a, b) => (b[1].count < a[1].count ? b : a))
        argument.ways.delete(rarest)
        inAll -= 1
      }
    }
    argument.ways.set(key, { how, count: (known?.count ?? 0) + 1 })
  }

  const forgetOldest = (): void => {
    for (const [tool, known] of tools) {
      if (inAll <= mostInAll) return
      tools.delete(tool)
      for (const { ways } of known.values()) inAll -= ways.size
    }
  }

  return {
    count(tool, uses) {
      const known = tools.get(tool) ?? new Map<string, Argument>()
      tools.delete(tool)
      tools.set(tool, known)
      for (const { argument, how } of uses) {
        if (!known.has(argument)) {
          if (known.size >= mostArguments) continue
          known.set(argument, { filled: 0, ways: new Map() })
        }
        const counted = known.get(argument)!
        counted.filled += 1
        for (const one of new Map(how.map((way) => [canonicalJson(way), way])).values())
          countWay(counted, one)
      }
      forgetOldest()
    },
    of: (tool) =>
      [...(tools.get(tool) ?? [])]
        .flatMap(([argument, { filled, ways }]) =>
          // The newest first, which a stable sort keeps among equals.
          [...ways.values()].reverse().map(({ how, count }) => ({ argument, how, count, of: filled })),
        )
        .sort((a, b) => b.count - a.count),
  }
}
