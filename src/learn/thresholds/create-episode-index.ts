/**
 * Situations of the last 30 days and what came of them, found again by tool, community and workflow type. Promises: an answer looks at no
 * more than 400 of them, whatever there are; at most 50,000 are kept, the newest. Never touches the store: who opens it adds what is there.
 */
import type { Episode, SimilarEpisodes, Situation } from '../../model/episode.js'
import type { ToolId } from '../../model/tool.js'
import { fewestEpisodes } from './episodic-boost.js'
import { type EpisodeGroups, groupEpisodes, type KeptEpisode } from './group-episodes.js'

export interface EpisodeIndex {
  /** Oldest first. Decisions of people are left out: they say what is wanted, not what works. */
  add(episode: Episode): void
  /**
   * Same tool, alpha within .1, same workflow type, of the last 30 days. Fewer than 3: those of its community beside them. Fewer than 3 still
   * are none. A tool's own come first because they tell more: pooled with its community's, the rate is off by .28 instead of .18 where reliable
   * and unreliable tools stand side by side (bench/thresholds).
   */
  similar(situation: Situation): SimilarEpisodes
  size(): number
  clear(): void
}

export interface EpisodeIndexOptions {
  now(): number
  readonly communities: {
    /** Another one: tools may have changed their community. Until all are sorted anew, a tool is judged by its own alone. */
    revision(): number
    of(tool: ToolId): number | undefined
  }
}

const mostOfTool = 200
/** Some 10 MB. */
const mostInAll = 50_000
const keptMs = 30 * 24 * 60 * 60 * 1_000
const alphaReach = 0.1 + 1e-9

export function createEpisodeIndex({ now, communities }: EpisodeIndexOptions): EpisodeIndex {
  /** All that are kept, and some that are not any more, oldest first. */
  let all: KeptEpisode[] = []
  let first = 0
  let kept = 0
  const ofTool = new Map<string, KeptEpisode[]>()
  let grouped: { readonly revision: number; readonly groups: EpisodeGroups } | undefined

  /** The oldest of its tool. */
  const forget = (episode: KeptEpisode): void => {
    episode.isForgotten = true
    kept -= 1
    const key = keyOf(episode)
    const list = ofTool.get(key)!
    list.shift()
    if (list.length === 0) ofTool.delete(key)
  }

  const tidy = (): void => {
    while (kept > mostInAll) {
      const oldest = all[first++]!
      if (!oldest.isForgotten) forget(oldest)
    }
    if (all.length <= 2 * kept + 1_000) return
    all = all.filter(({ isForgotten }) => !isForgotten)
    first = 0
  }

  const groupOf = ({
    tool,
    workflowType,
  }: Pick<KeptEpisode, 'tool' | 'workflowType'>): string | undefined => {
    const community = communities.of(tool)
    return community === undefined ? undefined : `${community} ${workflowType}`
  }

  const currentGroups = (): EpisodeGroups => {
    const revision = communities.revision()
    if (grouped?.revision !== revision) grouped = { revision, groups: groupEpisodes(all, groupOf) }
    return grouped.groups
  }

  return {
    add({ kind, tool, workflowType, at, alpha, success }) {
      if (kind === 'decision') return
      const groups = currentGroups()
      groups.advance()
      const episode: KeptEpisode = { tool, workflowType, at, alpha, success, isForgotten: false }
      all.push(episode)
      kept += 1
      const key = keyOf(episode)
      const list = ofTool.get(key)
      if (list === undefined) ofTool.set(key, [episode])
      else if (list.push(episode) > mostOfTool) forget(list[0]!)
      groups.add(episode)
      tidy()
    },
    similar(situation) {
      const groups = currentGroups()
      const areSorted = groups.advance()
      const own = countAlike(ofTool.get(keyOf(situation)) ?? [], situation, now() - keptMs)
      if (own.count >= fewestEpisodes) return rateOf(own)
      const group = areSorted ? groupOf(situation) : undefined
      if (group === undefined) return rateOf(own)
      const others = groups.of(group).filter(({ tool }) => tool !== situation.tool)
      const more = countAlike(others, situation, now() - keptMs)
      return rateOf({ count: own.count + more.count, successes: own.successes + more.successes })
    },
    size: () => kept,
    clear() {
      all = []
      first = 0
      kept = 0
      ofTool.clear()
      grouped = undefined
    },
  }
}

interface Count {
  readonly count: number
  readonly successes: number
}

function countAlike(episodes: readonly KeptEpisode[], { alpha }: Situation, since: number): Count {
  let [count, successes] = [0, 0]
  for (const episode of episodes) {
    const isAlike = episode.at >= since && Math.abs(episode.alpha - alpha) <= alphaReach
    if (isAlike) count += 1
    if (isAlike && episode.success) successes += 1
  }
  return { count, successes }
}

function rateOf({ count, successes }: Count): SimilarEpisodes {
  return count < fewestEpisodes ? { count: 0, successRate: 0 } : { count, successRate: successes / count }
}

/** A workflow type holds no space; what follows it is the tool, whole. */
function keyOf({ tool, workflowType }: Pick<KeptEpisode, 'tool' | 'workflowType'>): string {
  return `${workflowType} ${tool}`
}
