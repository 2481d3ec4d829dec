/**
 * Cuts a byte stream into lines without ever copying a byte twice: chunks of an unfinished line wait in a list and are
 * joined once, at its newline. A line above `maxBytes` is not kept: only its head and tail are, so that whoever waits
 * for the answer it carried can be told.
 */
export interface LineReader {
  push(chunk: Buffer): void
  /** The stream ended: what is left counts as a line. */
  end(): void
}

export interface OversizeLine {
  readonly bytes: number
  readonly head: Buffer
  readonly tail: Buffer
}

export interface LineHandlers {
  readonly maxBytes: number
  onLine(line: Buffer): void
  onOversize(line: OversizeLine): void
}

const newline = 0x0a
/** Enough for `{"jsonrpc":"2.0","id":...,"result"` and its mirror image at the end of a line. */
const edgeBytes = 512

export function createLineReader({ maxBytes, onLine, onOversize }: LineHandlers): LineReader {
  let chunks: Buffer[] = []
  let bytes = 0
  /** Set while a line that is already too long runs on to its newline. */
  let head: Buffer | undefined
  let tail: Buffer = Buffer.alloc(0)

  const add = (part: Buffer): void => {
    if (part.length === 0) return
    bytes += part.length
    if (head === undefined && bytes <= maxBytes) {
      chunks.push(part)
      return
    }
    if (head === undefined) {
      head = firstBytes([...chunks, part])
      for (const chunk of chunks) tail = lastBytes(tail, chunk)
      chunks = []
    }
    tail = lastBytes(tail, part)
  }

  const finish = (): void => {
    const line = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
    const oversize = head === undefined ? undefined : { bytes, head, tail }
    chunks = []
    bytes = 0
    head = undefined
    tail = Buffer.alloc(0)
    if (oversize !== undefined) onOversize(oversize)
    else if (line.length > 0) onLine(line)
  }

  return {
    push(chunk) {
      let start = 0
      for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, start)) {
        add(chunk.subarray(start, at))
        finish()
        start = at + 1
      }
      add(chunk.subarray(start))
    },
    end() {
      if (bytes > 0) finish()
    },
  }
}

// Both copy, so that a few bytes do not keep a whole chunk alive.

function firstBytes(chunks: readonly Buffer[]): Buffer {
  return Buffer.concat(chunks.map((chunk) => chunk.subarray(0, edgeBytes)).slice(0, edgeBytes)).subarray(
    0,
    edgeBytes,
  )
}

function lastBytes(tail: Buffer, part: Buffer): Buffer {
  if (part.length >= edgeBytes) return Buffer.from(part.subarray(-edgeBytes))
  return Buffer.concat([tail.subarray(-(edgeBytes - part.length)), part])
}
