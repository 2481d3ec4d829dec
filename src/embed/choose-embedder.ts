import { isDeepStrictEqual } from 'node:util'
import { toErrorInfo } from '../errors.js'
import type { PmlConfig } from '../model/config.js'
import type { Log } from '../model/log.js'
import type { Embedder } from './embedder.js'
import type { ToolVectors } from './open-tool-vectors.js'
import { createStaticEmbedder } from './static-embedder.js'

export interface EmbedderChoice {
  /** Takes up what the configuration says; soon, and never throws. */
  choose(search: PmlConfig['search']): void
  /** Why the chosen one cannot be opened, and what to do. */
  trouble(): string | undefined
}

export interface EmbedderChoiceOptions {
  readonly vectors: Pick<ToolVectors, 'use' | 'settled' | 'state'>
  readonly dataDirectory: string
  readonly log: Log
}

/**
 * The embedder of the configuration. The static one serves until the first vectors of another are there, and where that one
 * cannot be opened: never the one chosen before, which may be an endpoint that nothing is to be sent to any more.
 */
export function createEmbedderChoice({ vectors, dataDirectory, log }: EmbedderChoiceOptions): EmbedderChoice {
  let chosen: PmlConfig['search'] | undefined
  let trouble: string | undefined

  const open = async (search: PmlConfig['search']): Promise<Embedder | undefined> => {
    // Loaded for who needs it: most do not, and every client starts a gateway.
    const { openEmbedder } = await import('./open-embedder.js')
    try {
      return openEmbedder(search.embedder, { dataDirectory, endpoints: search.endpoints })
    } catch (error) {
      const { message, hint } = toErrorInfo(error)
      trouble = `${message} ${hint}`
      log.warn('the embedding model cannot be used: search goes on with the static one', {
        model: search.embedder,
        error: trouble,
      })
      return createStaticEmbedder()
    }
  }
  const take = async (search: PmlConfig['search']): Promise<void> => {
    if (search.embedder === 'none') return vectors.use(undefined)
    if (search.embedder === 'static') return vectors.use(createStaticEmbedder())
    // It serves soon, or is in trouble: then nothing waits for it.
    if (vectors.state().model === undefined)
      await Promise.race([vectors.use(createStaticEmbedder()), vectors.settled()])
    // Another choice may have come meanwhile.
    if (chosen !== search) return
    const embedder = await open(search)
    if (chosen === search) await vectors.use(embedder)
    else await embedder?.close()
  }

  return {
    choose(search) {
      // Once more where it could not be opened: the file is written again when a model has been downloaded.
      if (chosen !== undefined && trouble === undefined && isSameChoice(chosen, search)) return
      chosen = search
      trouble = undefined
      take(search).catch((error: unknown) =>
        log.error('no embedding model can be used', { error: String(error) }),
      )
    },
    trouble: () => trouble,
  }
}

/** Endpoints that are not in use may change as they like. */
function isSameChoice(a: PmlConfig['search'], b: PmlConfig['search']): boolean {
  const endpointOf = ({ embedder, endpoints }: PmlConfig['search']) =>
    endpoints.find(({ name }) => name === embedder)
  return a.embedder === b.embedder && isDeepStrictEqual(endpointOf(a), endpointOf(b))
}
