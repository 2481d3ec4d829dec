/**
 * Search over the catalogue as it is now: for `discover`, for the command line, for an intent without tasks. Each hit says from which
 * score on it is sure; none is hidden for that.
 */
import { isCapabilityId } from '../model/capability.js'
import type { Risk } from '../model/risk.js'
import type { Tool, ToolId } from '../model/tool.js'
import type { ToolHit, ToolSearch } from '../plan/find/create-tool-search.js'
import type { Advice } from './advice.js'
import type { Catalogue, CatalogueView, View } from './catalogue-view.js'

export interface FindTools {
  (query: string, options: FindOptions): Promise<FoundTools>
  /** The index holds the catalogue as it is now: for who searches by other ways. */
  ready(): Promise<void>
  close(): void
}

export interface FindOptions {
  readonly limit: number
  /** Any form of the names of tools that were used or are planned; what no tool is called is passed over. */
  readonly context: readonly string[]
  /** `any` where it is not said. */
  readonly kind?: 'tool' | 'capability' | 'any'
  /** Whose next calls tell what was wanted; absent where nobody's do. */
  readonly session?: string
}

export interface FoundHit extends ToolHit {
  /** From this score on it is sure. */
  readonly threshold: number
  readonly risk: Risk
}

export interface FoundTools {
  readonly hits: readonly FoundHit[]
  readonly view: View
  /** Words of the context that name no tool. */
  readonly unknown: readonly string[]
}

export interface FindToolsDeps {
  readonly view: CatalogueView
  readonly catalogue: Pick<Catalogue, 'onChange'>
  readonly search: Pick<ToolSearch, 'follow' | 'search'>
  readonly advice: Pick<Advice, 'judgeHits'>
}

/** Who wants capabilities alone looks among so many hits. */
const mostOfAKind = 200
/** A search on a first run gives new servers this long; the answer says which are still loading. */
const searchWaitMs = 2_000

export function createFindTools({ view, catalogue, search, advice }: FindToolsDeps): FindTools {
  let followed: readonly Tool[] | undefined
  let following: NodeJS.Immediate | undefined

  const follow = (): View => {
    clearImmediate(following)
    following = undefined
    const current = view.current()
    if (followed !== current.tools) search.follow(current.tools.filter((tool) => tool.listed))
    followed = current.tools
    return current
  }
  // Ahead of the first search, which would have to wait for it.
  const stop = catalogue.onChange(() => {
    following ??= setImmediate(() => {
      try {
        follow()
      } catch {
        // Nobody waits here who could be told, and the next search says it again.
        following = undefined
      }
    })
  })

  const ready = async (): Promise<View> => {
    await view.firstSettled(searchWaitMs)
    return follow()
  }

  const find = async (
    query: string,
    { limit, context, session, kind = 'any' }: FindOptions,
  ): Promise<FoundTools> => {
    const { names } = await ready()
    const known: ToolId[] = []
    const unknown: string[] = []
    for (const name of context) {
      const tool = names.resolve(name)
      if (tool === undefined) unknown.push(name)
      else known.push(tool.id)
    }
    const found = await search.search(query, { limit: kind === 'any' ? limit : mostOfAKind, context: known })
    const current = view.current()
    // What was found may be gone by now.
    const there = found
      .filter(({ tool }) => current.wireNames.byId.has(tool.id) && isOfKind(tool, kind))
      .slice(0, limit)
    const judged = advice.judgeHits({
      intent: query,
      context: known,
      hits: there,
      ...(session && { session }),
    })
    const hits = there.map((hit, at): FoundHit => {
      const { value: threshold, breakdown } = judged[at]!
      return { ...hit, threshold, risk: breakdown.risk }
    })
    return { hits, view: current, unknown }
  }
  return Object.assign(find, {
    async ready() {
      await ready()
    },
    close() {
      stop()
      clearImmediate(following)
    },
  })
}

function isOfKind({ id }: Tool, kind: NonNullable<FindOptions['kind']>): boolean {
  return kind === 'any' || isCapabilityId(id) === (kind === 'capability')
}
