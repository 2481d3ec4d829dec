import { isObject, type JsonObject } from '../model/json.js'
import type { Tool } from '../model/tool.js'
import { splitWords } from '../model/words/split-words.js'
import { stem } from '../model/words/stem.js'
import { stopWords } from '../model/words/stop-words.js'

/** What a plan has to beat: links that need no thought. Each gives pairs of places in the list. */
export interface PlanFloor {
  readonly name: 'all_pairs' | 'identical_names' | 'order_of_mention'
  links(intent: string, tools: readonly Tool[]): readonly (readonly [number, number])[]
}

export const planFloors: readonly PlanFloor[] = [
  /** Both directions: whoever does not know the order has to say both. */
  { name: 'all_pairs', links: (_, tools) => pairsOf(tools.length) },
  /** A field that one gives is called as a parameter that the other takes. */
  {
    name: 'identical_names',
    links: (_, tools) => {
      const gives = tools.map(({ definition }) => namesIn(definition.outputSchema))
      const takes = tools.map(({ definition }) => namesIn(definition.inputSchema))
      return pairsOf(tools.length).filter(([from, to]) =>
        gives[from]!.some((name) => takes[to]!.includes(name)),
      )
    },
  },
  /** Each after the one that is mentioned before it. */
  {
    name: 'order_of_mention',
    links: (intent, tools) => {
      const said = splitWords(intent).map(stem)
      const order = tools
        .map(({ id, name }, at) => ({ at, id, place: mentionedAt(name, said) }))
        .sort((a, b) => a.place - b.place || (a.id < b.id ? -1 : 1))
      return order.slice(1).map(({ at }, before) => [order[before]!.at, at] as const)
    },
  },
]

/**
 * Where all words of its name that are said have been said once. The first of them alone would be a lower floor: tools of one
 * service share their first words.
 */
function mentionedAt(name: string, said: readonly string[]): number {
  const words = splitWords(name).filter((word) => !stopWords.has(word))
  const places = words.map((word) => said.indexOf(stem(word))).filter((place) => place >= 0)
  return places.length === 0 ? said.length : Math.max(...places)
}

function pairsOf(count: number): readonly (readonly [number, number])[] {
  const places = Array.from({ length: count }, (_, at) => at)
  return places.flatMap((from) => places.filter((to) => to !== from).map((to) => [from, to] as const))
}

function namesIn(schema: JsonObject | undefined): readonly string[] {
  return isObject(schema?.properties) ? Object.keys(schema.properties) : []
}
