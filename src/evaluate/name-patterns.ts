import type { Risk } from '../model/risk.js'
import { wordSet } from '../model/word-set.js'
import { splitWords } from '../model/words/split-words.js'

/** The trivial floor: safe where a word of the name reads and none does more, by two short lists; nothing else is looked at. */
export function rateByPattern(name: string): Risk {
  const words = splitWords(name)
  if (words.some((word) => harms.has(word))) return 'dangerous'
  if (words.some((word) => writes.has(word))) return 'moderate'
  return words.some((word) => reads.has(word)) ? 'safe' : 'moderate'
}

const harms = wordSet('delete remove drop truncate destroy purge cancel send publish deploy')
const writes = wordSet(
  'create update set write insert put patch add edit modify move rename upload import save start stop run execute install query',
)
const reads = wordSet('get list read search find fetch show describe view count check')
