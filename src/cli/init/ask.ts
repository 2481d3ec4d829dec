import { createInterface } from 'node:readline'
import type { Io } from '../io.js'

export interface Ask {
  /** Yes must be said: an empty line and the end of the input are no. */
  agrees(question: string): Promise<boolean>
  close(): void
}

export function createAsk(io: Io): Ask {
  const reader = createInterface({ input: io.stdin, terminal: false })
  const lines = reader[Symbol.asyncIterator]()
  return {
    async agrees(question) {
      io.stderr.write(`${question} [y/N] `)
      const { value, done } = await lines.next()
      return done !== true && /^y(?:es)?$/i.test(value.trim())
    },
    close: () => reader.close(),
  }
}
