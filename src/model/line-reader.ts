/**
 * Cuts a byte stream into lines. Every byte is copied at most once, however the chunks fall: a line that spans chunks is
 * kept as a list and joined when its newline comes. A line above `maxBytes` is never held: its bytes are dropped as they
 * arrive, and only its head and tail are handed on, so that whoever waits for it can be told.
 */
export interface LineReaderOptions {
  readonly maxBytes: number
  /** A line without its newline (and without a carriage return before it). Empty lines are not reported. */
  onLine(line: Buffer): void
  onOversize(line: OversizeLine): void
}

export interface OversizeLine {
  readonly bytes: number
  readonly head: Buffer
  readonly tail: Buffer
}

export interface LineReader {
  push(chunk: Buffer): void
}

/** Enough to find a JSON-RPC id written first or last. */
const edgeBytes = 512
const newline = 0x0a
const carriageReturn = 0x0d

export function createLineReader(options: LineReaderOptions): LineReader {
  let parts: Buffer[] = []
  let length = 0
  let head: Buffer | undefined
  let tail: Buffer = Buffer.alloc(0)

  const append = (piece: Buffer): void => {
    length += piece.length
    if (head !== undefined) {
      tail = Buffer.concat([tail, piece.subarray(-edgeBytes)]).subarray(-edgeBytes)
    } else if (length > options.maxBytes) {
      const start = Buffer.concat([...parts, piece].map((part) => part.subarray(0, edgeBytes))).subarray(0, edgeBytes)
      head = Buffer.from(start)
      tail = Buffer.concat([parts.at(-1)?.subarray(-edgeBytes) ?? Buffer.alloc(0), piece.subarray(-edgeBytes)]).subarray(-edgeBytes)
      parts = []
    } else {
      parts.push(piece)
    }
  }

  const finish = (): void => {
    if (head !== undefined) {
      options.onOversize({ bytes: length, head, tail })
    } else if (length > 0) {
      const whole = parts.length === 1 ? parts[0]! : Buffer.concat(parts, length)
      const line = whole[whole.length - 1] === carriageReturn ? whole.subarray(0, -1) : whole
      if (line.length > 0) options.onLine(line)
    }
    parts = []
    length = 0
    head = undefined
    tail = Buffer.alloc(0)
  }

  return {
    push(chunk) {
      let start = 0
      for (;;) {
        const end = chunk.indexOf(newline, start)
        if (end === -1) break
        if (end > start) append(chunk.subarray(start, end))
        finish()
        start = end + 1
      }
      if (start < chunk.length) append(start === 0 ? chunk : chunk.subarray(start))
    },
  }
}
