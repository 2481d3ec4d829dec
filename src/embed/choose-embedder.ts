import { isDeepStrictEqual } from 'node:util'
import type { PmlConfig } from '../model/config.js'
import type { Log } from '../model/log.js'
import { openEmbedder } from './open-embedder.js'
import type { ToolVectors } from './open-tool-vectors.js'

export interface EmbedderChoice {
  /** Takes up what the configuration says; soon, and never throws. */
  choose(search: PmlConfig['search']): void
  /** Why the chosen one cannot be opened. */
  trouble(): string | undefined
}

export interface EmbedderChoiceOptions {
  readonly vectors: ToolVectors
  readonly dataDirectory: string
  readonly log: Log
}

/** The embedder of the configuration; until its vectors are there, and where it cannot be opened, the static one serves. */
export function createEmbedderChoice({ vectors, dataDirectory, log }: EmbedderChoiceOptions): EmbedderChoice {
  let chosen: PmlConfig['search'] | undefined
  let trouble: string | undefined

  const take = async (search: PmlConfig['search']): Promise<void> => {
    const places = { dataDirectory, endpoints: search.endpoints }
    const isFirst = vectors.state().model === undefined
    if (isFirst && search.embedder !== 'none') await vectors.use(openEmbedder('static', places))
    // Another choice may have come meanwhile.
    if (chosen === search) await vectors.use(openEmbedder(search.embedder, places))
  }

  return {
    choose(search) {
      if (isDeepStrictEqual(chosen, search)) return
      chosen = search
      trouble = undefined
      take(search).catch((error: Error) => {
        if (chosen !== search) return
        trouble = error.message
        log.warn('the embedding model cannot be used: search goes on with the static one', {
          model: search.embedder,
          error: error.message,
        })
      })
    },
    trouble: () => trouble,
  }
}
