import { isObject } from './json.js'
import { namesStatement } from './rate-statement.js'
import type { Tool } from './tool.js'
import { wordSet } from './word-set.js'
import { splitWords } from './words/split-words.js'

/** What the whole words of a tool's name say that it does. */
export interface NameReading {
  /** `code`: runs what it is given, whatever that is. `runs`: the same, unless that is a statement, which tells itself. */
  readonly deed: 'code' | 'harms' | 'runs' | 'changes' | 'reads' | 'nothing'
  /** By which word of it. */
  readonly word: string
  /** A word that reads stands first or last and no other deed is joined to it: the others may be things, `deploy_logs_get`. */
  readonly mayRead: boolean
  /** It is given statements, or may be. */
  readonly statement?: {
    readonly isCertain: boolean
    /** It is named after what it is given and after nothing else: `sql`, `graphql`. */
    readonly saysNoMore: boolean
  }
}

type NamedTool = Pick<Tool, 'server' | 'name' | 'definition'>

export function readName(tool: NamedTool): NameReading {
  const serverWords = splitWords(tool.server)
  const words = splitWords(tool.name)
  const code = codeWord(words, serverWords)
  if (code !== undefined) return { deed: 'code', word: code, mayRead: false }
  // What it is to do stands first: `mark_as_read` does not read, nor does `toggle_status`; but many servers put their name before
  // every tool, and `git_status` of the server git does.
  const first = words.find((word) => !serverWords.includes(word)) ?? words[0] ?? ''
  const isJoined = words.some((word) => joins.has(word))
  const mayRead = !isJoined && (reads.has(first) || mayBeVerb(words))
  const harm = harmfulWord(words)
  if (harm !== undefined) return { deed: 'harms', word: harm, mayRead }
  const runs = runningWord(words, serverWords)
  const statement = takesStatement(tool, { words, serverWords, runs })
  return { ...plainDeed(words, first, runs), mayRead, ...(statement && { statement }) }
}

/** Behind the name of a product or its part, or last: `zia_list_urls`, `storage_blob_get`. */
function mayBeVerb(words: readonly string[]): boolean {
  const [, second = ''] = words
  const last = words.at(-1) ?? ''
  return reads.has(last) || last === 'generate' || plainReads.has(second)
}

function plainDeed(
  words: readonly string[],
  first: string,
  runs: string | undefined,
): Pick<NameReading, 'deed' | 'word'> {
  if (runs !== undefined) return { deed: 'runs', word: runs }
  const write = words.find((word) => writes.has(word))
  if (write !== undefined) return { deed: 'changes', word: write }
  if (!reads.has(first)) return { deed: 'nothing', word: '' }
  if (first === 'show' && words.some((word) => shownToPeople.has(word))) return { deed: 'nothing', word: '' }
  return { deed: 'reads', word: first }
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
  enable disable install append copy make mkdir replace assign close open archive run click type fill register unregister subscribe
  unsubscribe attach detach apply configure provision migrate restore trigger rotate regenerate toggle acknowledge dequeue dismiss`,
)
const reads = wordSet(
  `read get list search find fetch view show describe count lookup retrieve inspect status info preview explain compare diff
  stat ls cat head tail tree whoami exists ping history`,
)
/** Of these, the ones that are no things. */
const plainReads = wordSet('read get list search find fetch describe retrieve')
/** To show one of these is to interrupt somebody. */
export const shownToPeople = wordSet('notification toast alert dialog popup prompt banner modal message')
/** These run what they are given whatever stands beside them, unless it is a statement, which tells itself what it does; */
const runners = wordSet('exec execute eval evaluate spawn')
/** these unless it is read what they have left; */
const runnersUnlessThings = wordSet('shell bash zsh powershell terminal')
/** these where the name ends with them: `python`, `ssh_command`, not `python_packages`; */
const languages = wordSet(
  `python py ipython nodejs javascript js typescript ts deno ruby perl lua php repl interpreter console cmd command commands cli`,
)
/** and these may still follow. `node` alone is too often a node of a tree. */
const trailing = wordSet('tool code session cell sandbox runner line inline input node repl script 2 3')
/** A new command is not given one. */
const makes = wordSet('create add register install update edit save define new generate format lint')
/** These steer machines by what follows, unless that only looks, */
const steering = wordSet('kubectl terraform tofu terragrunt ansible helm ssh gcloud')
const looking = wordSet(
  'plan validate logs log version versions docs template lint fmt output context inventory',
)
/** or it is about their things. */
const steered = wordSet('key keys config configs host hosts chart charts module modules provider providers')
/** Words of running, as nouns, and what else turns a language or a container into what runs it. */
const runNouns = wordSet('execution executor runner interpreter sandbox run')
/** `run` with something of these beside it, or with nothing at all: a report can be run, too. */
const runnable = wordSet(
  `command commands cmd script scripts code python javascript js typescript node program process binary sql query statement
  snippet cell notebook console ssh docker`,
)
/** What is given to these is a statement for certain, */
export const statementWords = wordSet(
  'sql statement statements cypher sparql graphql gql mutation psql cql kql dml ddl plsql tsql',
)
/** to these perhaps: a `query` may be plain words, */
const queryWords = wordSet('query queries')
/** to these if the name says no more. */
const databases = wordSet(
  'mysql sqlite postgres postgresql mariadb duckdb clickhouse snowflake bigquery redshift oracle mssql db database neo4j',
)
/** And with these it is plain words. */
const searches = wordSet('search find lookup docs documentation wiki web')
/** Behind these begins another deed. */
const joins = wordSet('and or then')

function runningWord(words: readonly string[], serverWords: readonly string[]): string | undefined {
  const runner = words.find((word) => runners.has(word))
  if (runner !== undefined || !words.includes('run')) return runner
  return words.length === 1 || words.some((word) => runnable.has(word)) || serverWords.some(isCode)
    ? 'run'
    : undefined
}

function isCode(word: string): boolean {
  return runnable.has(word) || runnersUnlessThings.has(word)
}

/** The word by which it runs code, a shell's commands or a machine's, whatever the arguments. */
function codeWord(words: readonly string[], serverWords: readonly string[]): string | undefined {
  const shell = words.find((word, at) => runnersUnlessThings.has(word) && !isThing(words, at))
  if (shell !== undefined) return shell
  const isRead = words.some((word) => reads.has(word)) && !words.some((word) => joins.has(word))
  const steers = words.findIndex((word) => steering.has(word))
  if (
    steers !== -1 &&
    !isRead &&
    !words.some((word) => looking.has(word)) &&
    !steered.has(words[steers + 1] ?? '')
  )
    return words[steers]
  if (isRead) return undefined
  const end = words.findLastIndex((word) => !trailing.has(word))
  const last = words[end] ?? words.find((word) => word === 'repl' || word === 'node') ?? ''
  const isLanguage = languages.has(last) || last === 'repl' || (last === 'node' && words.length === 1)
  if (isLanguage && !words.slice(0, Math.max(end, 0)).some((word) => makes.has(word))) return last
  const isRun = words.some((word) => runNouns.has(word))
  const given = words.find((word) => word === 'code' || word === 'docker' || languages.has(word))
  if (isRun && given !== undefined) return given
  return words.includes('run') && serverWords.some((word) => languages.has(word)) ? 'run' : undefined
}

/** Undefined where it is given none, or where what it is given is words to search for. */
function takesStatement(
  { definition }: NamedTool,
  {
    words,
    serverWords,
    runs,
  }: {
    readonly words: readonly string[]
    readonly serverWords: readonly string[]
    readonly runs: string | undefined
  },
): NameReading['statement'] {
  const { properties } = definition.inputSchema
  const parameters = isObject(properties) ? Object.keys(properties) : []
  const takesSql = parameters.some(
    (name) => namesStatement(name) && splitWords(name).some((word) => statementWords.has(word)),
  )
  const isCertainWord = words.some((word) => statementWords.has(word))
  const isQuery = words.some((word) => queryWords.has(word))
  const isDatabase = words.length > 0 && words.every((word) => databases.has(word))
  if (!takesSql && (words.some((word) => searches.has(word)) || !(isCertainWord || isQuery || isDatabase)))
    return undefined
  // What is said to read is given statements where they read, else words: `read_query`, `get_bank_statement`.
  const isRead = words.some((word) => reads.has(word))
  const isCertain = takesSql || runs !== undefined || words.includes('write') || (isCertainWord && !isRead)
  const saysNoMore =
    isCertainWord &&
    words.every((word) => statementWords.has(word) || queryWords.has(word) || serverWords.includes(word))
  return { isCertain, saysNoMore }
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
