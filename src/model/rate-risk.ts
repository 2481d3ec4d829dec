import type { Risk } from './risk.js'
import type { Tool } from './tool.js'
import { splitWords } from './words/split-words.js'

export interface RatedRisk {
  readonly risk: Risk
  /** One sentence, for a person who is asked. */
  readonly why: string
}

/**
 * What a call of this tool may do at worst, by what its server says of it, then by the whole words of its name. A server that is
 * not trusted can make its tools look worse, not better: neither by annotations nor by a harmless name.
 *
 * `safe` by a name is a guess. It is good enough to say what a call is likely to do, never to make one unasked: for that, see
 * gateway/is-safe-tool.ts.
 */
export function rateRisk(
  tool: Pick<Tool, 'server' | 'name' | 'definition'>,
  { isTrusted }: { readonly isTrusted: boolean },
): RatedRisk {
  const { destructiveHint, readOnlyHint } = tool.definition.annotations ?? {}
  if (destructiveHint === true) return { risk: 'dangerous', why: 'Its server says that it may destroy.' }
  if (readOnlyHint === true && isTrusted) return { risk: 'safe', why: 'Its server says that it only reads.' }
  const serverWords = splitWords(tool.server)
  const words = splitWords(tool.name)
  const runs = runningWord(words, serverWords)
  if (runs !== undefined)
    return { risk: 'dangerous', why: `It runs what it is given, by the word "${runs}" of its name.` }
  const harm = harmfulWord(words)
  if (harm !== undefined)
    return { risk: 'dangerous', why: `It cannot be undone, by the word "${harm}" of its name.` }
  const write = words.find((word) => writes.has(word))
  if (write !== undefined)
    return { risk: 'moderate', why: `It changes something, by the word "${write}" of its name.` }
  // Only as what the tool is to do, which stands first: `mark_as_read` does not read, nor does `toggle_status`; but many servers
  // put their name before every tool, and `git_status` of the server git does.
  const first = words.find((word) => !serverWords.includes(word)) ?? words[0] ?? ''
  if (!reads.has(first)) return { risk: 'moderate', why: 'Nothing tells what it does.' }
  if (!isTrusted)
    return { risk: 'moderate', why: 'Its name speaks of reading, but its server is not trusted.' }
  if (readOnlyHint === false)
    return {
      risk: 'moderate',
      why: 'Its name speaks of reading, but its server says that it does not only read.',
    }
  return { risk: 'safe', why: `It reads, by the word "${first}" of its name.` }
}

/*
 * The words are those of DESIGN 8 (what is never run ahead), sorted by how bad it can get. Several of them are names of things as
 * often as of deeds: an order, a message, a post. Behind a word that reads they are things: `get_order`, `list_message_threads`.
 */

/** Gone, paid, or with other people: nothing brings it back. */
const harms = wordSet(
  `delete del remove rm rmdir unlink drop truncate destroy wipe purge erase shred clear reset revert rollback overwrite uninstall
  kill terminate shutdown reboot deploy publish push force pay purchase buy withdraw send notify revoke approve submit cancel`,
)
const harmsUnlessThings = wordSet(
  `release merge payment order book charge refund transfer email mail message post tweet reply call invite share grant sign`,
)
/** `format_date` harms nobody. */
const formatted = wordSet('disk drive volume partition')
const writes = wordSet(
  `write create insert update upsert put set patch add edit modify move rename upload import save store commit start stop restart
  enable disable install append copy make mkdir replace assign close open archive run click type fill`,
)
const reads = wordSet(
  `read get list search find fetch view show describe count lookup retrieve inspect status info preview explain compare diff
  stat ls cat head tail tree whoami exists ping history`,
)
/** These run what they are given whatever stands beside them, */
const runners = wordSet('exec execute eval evaluate spawn')
/** these unless it is read what they have left, */
const runnersUnlessThings = wordSet('shell bash zsh powershell terminal')
/** and `run` with something of these beside it, or with nothing at all: a report can be run, too. */
const runnable = wordSet(
  `command commands cmd script scripts code python javascript js typescript node program process binary sql query statement
  snippet cell notebook console ssh`,
)
/** Behind these begins another deed. */
const joins = wordSet('and or then')

function runningWord(words: readonly string[], serverWords: readonly string[]): string | undefined {
  const runner = words.find(
    (word, at) => runners.has(word) || (runnersUnlessThings.has(word) && !isThing(words, at)),
  )
  if (runner !== undefined || !words.includes('run')) return runner
  const isRun = (word: string): boolean => runnable.has(word) || runnersUnlessThings.has(word)
  return words.length === 1 || words.some(isRun) || serverWords.some(isRun) ? 'run' : undefined
}

function harmfulWord(words: readonly string[]): string | undefined {
  const harm = words.find(
    (word, at) => harms.has(word) || (harmsUnlessThings.has(word) && !isThing(words, at)),
  )
  if (harm !== undefined) return harm
  return words.includes('format') && words.some((word) => formatted.has(word)) ? 'format' : undefined
}

/** Behind a word that reads it is a thing; a draft is seen by nobody else, and a merge request merges nothing. */
function isThing(words: readonly string[], at: number): boolean {
  if (words.includes('draft') || (words[at] === 'merge' && words[at + 1] === 'request')) return true
  return words.slice(0, at).some((word) => reads.has(word)) && !words.some((word) => joins.has(word))
}

function wordSet(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/))
}
