import type { ToolId } from '../../model/tool.js'

/** What an answer needs of an episode. */
export interface KeptEpisode {
  readonly tool: ToolId
  readonly workflowType: string
  readonly at: number
  readonly alpha: number
  readonly success: boolean
  /** Set when it makes room for newer ones: lists that hold it still may skip it. */
  isForgotten: boolean
}

export interface EpisodeGroups {
  /** Sorts some more of what was there at the beginning. True: all of it is. */
  advance(): boolean
  add(episode: KeptEpisode): void
  /** The newest 200, once all are sorted. */
  of(group: string): readonly KeptEpisode[]
}

/** The newest tell most, and so many are enough. */
const mostOfGroup = 200
/** Some .1 ms: 50,000 at once would hold up a request for ten and more. */
const slice = 500

/** Episodes by group, the newest of each; in slices, because groups change all at once. `episodes` is oldest first, and may grow at its end. */
export function groupEpisodes(
  episodes: readonly KeptEpisode[],
  groupOf: (episode: KeptEpisode) => string | undefined,
): EpisodeGroups {
  const groups = new Map<string, KeptEpisode[]>()
  /** Of a tool: asked once, not for each of its episodes. */
  const known = new Map<string, string | undefined>()
  const late: KeptEpisode[] = []
  let left = episodes.length

  const knownGroup = (episode: KeptEpisode): string | undefined => {
    const key = `${episode.workflowType} ${episode.tool}`
    if (!known.has(key)) known.set(key, groupOf(episode))
    return known.get(key)
  }

  const addOlder = (episode: KeptEpisode): void => {
    const group = episode.isForgotten ? undefined : knownGroup(episode)
    if (group === undefined) return
    const list = groups.get(group)
    if (list === undefined) groups.set(group, [episode])
    else if (list.length < mostOfGroup) list.push(episode)
  }

  const addNewer = (episode: KeptEpisode): void => {
    const group = knownGroup(episode)
    if (group === undefined) return
    const list = groups.get(group)
    if (list === undefined) groups.set(group, [episode])
    else if (list.push(episode) > mostOfGroup) list.shift()
  }

  const finish = (): void => {
    for (const list of groups.values()) list.reverse()
    for (const episode of late) addNewer(episode)
    late.length = 0
  }

  return {
    advance() {
      if (left === 0) return true
      const end = Math.max(0, left - slice)
      while (left > end) addOlder(episodes[--left]!)
      if (left === 0) finish()
      return left === 0
    },
    add(episode) {
      if (left > 0) late.push(episode)
      else addNewer(episode)
    },
    of: (group) => groups.get(group) ?? [],
  }
}
