import { type Duplex, PassThrough } from 'node:stream'

/**
 * The holder says how many lines of a bridge it has taken in, before it acts on them: after its death the bridge knows which
 * calls cannot have been carried out and may be sent again. The mark is a byte that begins no JSON text.
 */
export const acknowledgement = 0x06

/** What the bridge sent, each part acknowledged on the same stream before it is handed on. */
export function acknowledged(stream: Duplex): PassThrough {
  const input = new PassThrough()
  let lines = 0
  stream.on('data', (chunk: Buffer) => {
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) lines++
    stream.write(`\x06${lines}\n`)
    if (!input.write(chunk)) {
      stream.pause()
      input.once('drain', () => stream.resume())
    }
  })
  stream.once('end', () => input.end())
  stream.once('close', () => input.end())
  return input
}
