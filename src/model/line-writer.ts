import type { Writable } from 'node:stream'

/**
 * Writes lines so that all lines of one turn of the event loop leave in one system call: under load a write costs more than
 * all the rest of a message. A line alone waits for nothing but the end of its turn.
 */
export interface LineWriter {
  /** Resolves when more may be written. */
  write(line: string): Promise<void>
  /** Hands on what is still held back, before the stream is ended. */
  flush(): void
}

const written = Promise.resolve()

export function createLineWriter(stream: Writable): LineWriter {
  let lines: string[] = []
  let scheduled = false
  let draining: Promise<void> | undefined

  const flush = (): void => {
    scheduled = false
    if (lines.length === 0) return
    const text = lines.length === 1 ? `${lines[0]}\n` : `${lines.join('\n')}\n`
    lines = []
    if (stream.writable) stream.write(text)
  }

  return {
    flush,
    write(line) {
      lines.push(line)
      if (!scheduled) {
        scheduled = true
        setImmediate(flush)
      }
      if (!stream.writableNeedDrain) return written
      // One wait for all: a slow reader must not gather a listener for every line.
      draining ??= drained(stream).then(() => {
        draining = undefined
      })
      return draining
    },
  }
}

function drained(stream: Writable): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      stream.off('drain', done).off('close', done)
      resolve()
    }
    stream.once('drain', done).once('close', done)
  })
}
