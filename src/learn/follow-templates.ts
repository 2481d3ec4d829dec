import type { Tool } from '../model/tool.js'
import type { Learning } from './create-learning.js'
import { guessTemplates } from './guess-templates.js'

export interface FollowTemplatesOptions {
  readonly catalogue: { tools(): readonly Tool[]; onChange(listener: () => void): () => void }
  readonly learning: Pick<Learning, 'replaceTemplates'>
  onError(error: unknown): void
}

/** Servers come up one after another: a catalogue that is still for so long is guessed at once. */
const afterMs = 1_000
/** A database that was not there yet may be, without any further change of the catalogue. */
const againAfterMs = 30_000
/** Guessing takes some 50 ms for 5,000 tools; so many are more than anybody's graph is for. */
const mostTools = 20_000

/** Keeps the edges that are guessed from schemas in step with the catalogue. */
export function followTemplates({ catalogue, learning, onError }: FollowTemplatesOptions): { close(): void } {
  let timer: NodeJS.Timeout | undefined
  let guessedFor = ''
  let isClosed = false

  const guess = async (): Promise<void> => {
    const tools = catalogue.tools().filter((tool) => tool.listed)
    const state = tools.map(({ id, hash }) => `${id} ${hash}`).join('\n')
    if (state === guessedFor || tools.length > mostTools) return
    guessedFor = state
    await learning.replaceTemplates(guessTemplates(tools))
  }
  const guessAfter = (ms: number): void => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      timer = undefined
      guess().catch((error: unknown) => {
        guessedFor = ''
        if (isClosed) return
        onError(error)
        // Unless the catalogue has changed meanwhile, which comes sooner.
        if (timer === undefined) guessAfter(againAfterMs)
      })
    }, ms)
    timer.unref()
  }
  const stop = catalogue.onChange(() => guessAfter(afterMs))
  return {
    close() {
      isClosed = true
      stop()
      clearTimeout(timer)
    },
  }
}
