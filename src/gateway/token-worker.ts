import { parentPort } from 'node:worker_threads'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'

/** Byte-pair merging is slow on long runs without spaces; beyond this the rest is taken to be like the start. */
const countedChars = 20_000

parentPort?.on('message', ({ id, texts }: { id: number; texts: readonly string[] }) => {
  parentPort?.postMessage({ id, counts: texts.map(count) })
})

function count(text: string): number {
  const start = text.slice(0, countedChars)
  // Text such as <|endoftext|> in a description is ordinary text here.
  const tokens = countTokens(start, { disallowedSpecial: new Set() })
  return start.length === text.length ? tokens : Math.ceil((tokens * text.length) / start.length)
}
