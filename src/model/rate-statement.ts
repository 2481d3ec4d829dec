import { isPlainSelect } from './is-plain-select.js'
import { isObject, type Json, type JsonObject } from './json.js'
import type { RatedRisk } from './rate-risk.js'
import { splitWords } from './words/split-words.js'

/** How a tool that is given statements is rated, see rate-risk.ts. */
export interface StatementTaker {
  /** What it is given is a statement for certain; else only what looks like one, for a `query` may be plain words. */
  readonly isCertain: boolean
  /** A call without any statement. */
  readonly without: RatedRisk
}

/** What a call with these arguments may do at worst: one plain SELECT may run, anything else may destroy. */
export function rateStatement(args: JsonObject, { isCertain, without }: StatementTaker): RatedRisk {
  let found = false
  for (const { text, role } of findTexts(args)) {
    if (!(role === 'statement' && isCertain) && !looksLikeStatement(text, role)) continue
    const fault = findFault(text)
    if (fault !== undefined) return { risk: 'dangerous', why: fault }
    found = true
  }
  return found ? { risk: 'moderate', why: 'It is one plain statement that reads.' } : without
}

function findFault(text: string): string | undefined {
  if (text.length > longestStatement) return 'Its statement is too long to be looked through.'
  const head = stripHead(text)
  if (graph.test(head))
    return /\bmutation\b/.test(head.replace(graphStrings, ' ')) ? 'It is a GraphQL mutation.' : undefined
  if (pattern.test(head)) return patternActs.test(head) ? 'Its statement does not only read.' : undefined
  return isPlainSelect(text) ? undefined : 'It is not one plain SELECT.'
}

/** Whether a parameter of this name is given statements: `sql`, `query`, `raw_sql`, `queryString`; not `query_id`. */
export function namesStatement(parameter: string): boolean {
  const words = splitWords(parameter)
  const last = words.at(-1) ?? ''
  return statementNames.has(last) || (texts.has(last) && words.some((word) => statementNames.has(word)))
}

const statementNames = new Set(
  `sql query queries statement statements stmt cypher command commands code script mutation document q`.split(
    ' ',
  ),
)
const texts = new Set(['text', 'string', 'body'])

/** Characters. Generous: nobody reads more when asked, and patterns are tried on it. */
const longestStatement = 100_000

/** Said beside a statement, for people: "Update of the counts". */
const prose = new Set(
  'description explanation reason purpose title name label comment project intent summary'.split(' '),
)

/** By its parameter a statement; some argument; or something inside one, as a filter's value. */
type Role = 'statement' | 'argument' | 'inner'

function* findTexts(args: JsonObject): Generator<{ readonly text: string; readonly role: Role }> {
  const open: { readonly value: Json; readonly role: Role }[] = []
  const enter = (object: JsonObject, other: Role): void => {
    for (const [name, value] of Object.entries(object))
      open.push({ value, role: namesStatement(name) ? 'statement' : prose.has(name) ? 'inner' : other })
  }
  enter(args, 'argument')
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, role } = next
    if (typeof value === 'string') yield { text: value, role }
    else if (Array.isArray(value))
      for (const one of value) open.push({ value: one, role: role === 'statement' ? role : 'inner' })
    else if (isObject(value)) enter(value, 'inner')
  }
}

function looksLikeStatement(text: string, role: Role): boolean {
  if (text.length > longestStatement) return role !== 'inner'
  const head = stripHead(text)
  if (role === 'inner') return unmistakable.exec(head)?.index === 0
  if (odd.test(head) || graph.test(head)) return true
  const [, first = '', second = ''] = /^([a-z]+)\b\W*([a-z]*)/i.exec(head) ?? []
  // SQL Server takes a first word that it does not know for a procedure, and goes on behind it.
  if (!leading.has(first.toLowerCase())) return role === 'statement' && unmistakable.test(head)
  // "create a server with express" is a question; `UPDATE a SET b = 1` is not.
  if (question.test(second) && !callsByName.test(first) && !/[;=()*]/.test(head) && !clause.test(head))
    return false
  // Alone it may be the name of a table, a kind, a mode.
  return role === 'statement' || /\s/.test(head.trim())
}

/** A comment that MySQL runs, commands of clients, a script of MongoDB, procedures of SQL Server, files of Snowflake. */
const odd =
  /^(?:\/\*M?!|\.[a-z]|\\[a-z!]|db\.\w+|[sx]p_\w|put\s+\W?file:|(?:rm|remove)\s+\W?@|\{\s*(?:\?\s*=\s*)?call\b)/i
const question =
  /^(?:an?|the|my|our|your|this|that|these|those|some|up|me|how|what|who|which|when|where|why|whether)$/i
const callsByName = /^(?:exec|execute|call|do|begin|declare)$/i
const clause = /\b(?:from|set|into|values|where|table|database)\b/i

const leading = new Set(
  `from select with values table show describe desc explain pragma insert update delete drop create alter truncate merge replace upsert
  rename comment call do exec execute copy load unload attach detach vacuum analyze analyse optimize set reset use lock unlock grant revoke
  deny handler kill flush install uninstall shutdown import export backup restore declare begin commit rollback savepoint release start
  stop prepare deallocate discard listen notify unlisten cluster reindex refresh reassign security checkpoint if while for loop print
  raiserror waitfor dbcc bulk undrop msck purge change enable disable abort end assert system exchange move repair cache uncache clear
  reconfigure signal resignal binlog clone stop leave iterate return fetch close open cursor audit noaudit flashback administer
  match optional unwind foreach prefix base mutation`.split(/\s+/),
)

const unmistakable =
  /\b(?:(?:insert|replace|merge)\s+into\b|update\s+\S+\s+set\b|delete\s+(?:\S+\s+)?from\b|(?:drop|alter|create|truncate)\s+(?:or\s+replace\s+)?(?:table|database|schema|view|index|user|role|function|procedure|trigger|extension)\b|exec(?:ute)?\s*\(|mutation\b[^{]{0,500}\{)/i

/** GraphQL, by how it begins; not the `{call p}` of ODBC. In the head is nothing behind which SQL could hide its brace. */
const graph =
  /^(?:\{(?!\s*(?:\?\s*=\s*)?call\b)|(?:query|mutation|subscription|fragment)\b(?:[\w\s$:!(),=@.]|\[\w+!?\])*\{)/i
const graphStrings = /"""(?:\\"""|[\s\S])*?"""|"(?:\\.|[^"\\\n])*"|#[^\n\r]*/g

/** Cypher and SPARQL, by how they begin; and the words by which they change something. */
const pattern = /^(?:match|optional\s+match|unwind|foreach|prefix|base)\b/i
const patternActs =
  /(?<![.\w:])(?:create|merge|set|delete|detach|remove|call|foreach|load|drop|insert|update|truncate|alter|grant|exec|execute|clear|copy|move|add)(?!\w)|;\s*\S/i

/** What stands before the first word: space, comments, brackets, empty statements. */
function stripHead(text: string): string {
  return text.replace(/^(?:[\s;(]|--[^\n]*(?:\n|$)|\/\*(?!M?!)[\s\S]*?\*\/|#[^\n]*(?:\n|$))+/, '')
}
