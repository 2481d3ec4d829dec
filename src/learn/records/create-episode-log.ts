import type { Episode } from '../../model/episode.js'
import type { Log } from '../../model/log.js'
import { type Redact, redactData } from '../../model/redact.js'
import type { Store } from '../../store/store.js'
import { createBatches } from './create-batches.js'

export interface EpisodeLogOptions {
  store(): Promise<Store>
  readonly redact: Redact
  now(): number
  readonly log: Log
}

/** What really happened in which situation, for 30 days. Nothing here keeps who reports it waiting, or throws at them. */
export interface EpisodeLog {
  /** Those that are kept, oldest first, the newest 50,000. To be called when the store has opened; older ones are pruned from then on. */
  load(open: Store): Promise<readonly Episode[]>
  add(episode: Episode): void
  flush(): Promise<void>
  /** What is not written yet is not to be. */
  forget(): void
  /** Within a second. */
  close(): Promise<void>
}

const dayMs = 24 * 60 * 60 * 1_000
/** DESIGN 9. */
const keptMs = 30 * dayMs
/** As many as the index holds in memory. */
const mostLoaded = 50_000

export function createEpisodeLog({ store, redact, now, log }: EpisodeLogOptions): EpisodeLog {
  const batches = createBatches<Episode>({
    store,
    write: (episodes, open) =>
      open.saveEpisodes(episodes.map((episode) => ({ ...episode, data: redactData(episode.data, redact) }))),
    keyOf: ({ id }) => id,
    what: 'episodes',
    log,
  })
  let daily: NodeJS.Timeout | undefined
  const prune = async (open: Store): Promise<void> => {
    try {
      const gone = await open.pruneEpisodes(now() - keptMs)
      if (gone > 0) log.debug('Old episodes and traces of scoring were forgotten.', { gone })
    } catch (error) {
      log.warn('Old episodes cannot be forgotten; it is tried again tomorrow.', { error: String(error) })
    }
  }
  return {
    async load(open) {
      daily ??= setInterval(() => {
        store().then(prune, () => {})
      }, dayMs).unref()
      const episodes = await open.loadEpisodes({ since: now() - keptMs, limit: mostLoaded })
      // Nobody waits for it.
      void prune(open)
      return episodes
    },
    add(episode) {
      if (isSound(episode)) batches.add(episode)
      else log.warn('An episode without a time or an alpha is not kept.', { tool: episode.tool })
    },
    flush: batches.flush,
    forget: batches.clear,
    async close() {
      clearInterval(daily)
      await batches.close()
    },
  }
}

/** What the store would refuse would take the others of its batch with it. */
function isSound({ at, alpha, durationMs = 0 }: Episode): boolean {
  return Number.isFinite(at) && Number.isFinite(alpha) && Number.isFinite(durationMs)
}
