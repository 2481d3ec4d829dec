/**
 * Whether a text is one SQL statement that only reads, whichever database it is for: a SELECT (also WITH, VALUES, TABLE, FROM), SHOW,
 * DESCRIBE, EXPLAIN or PRAGMA. This is no parser: databases read quotes and comments differently, so what one of them could read
 * otherwise is not plain. A false yes runs unasked; a false no only asks.
 */
export function isPlainSelect(text: string): boolean {
  const bare = trimStatement(bareSql(text))
  if (bare === undefined || bare.includes(';')) return false
  const head = bare.replace(/^[\s(]+/, '')
  if (plainShowCreate.test(head)) return true
  // Quoted words are names. So is what stands behind a dot, `audit.delete`; but a line that begins with one is a command of a client.
  const unquoted = bare.replace(/"[^"]*"|`[^`]*`/g, '""')
  if (/^[^\S\n]*\.[a-z]/im.test(unquoted) || acting.test(unquoted) || callsActing(bare)) return false
  const first = /^[a-z]+/i.exec(head)?.[0].toLowerCase() ?? ''
  if (first === 'explain') return !/\banaly[sz]e\b/i.test(unquoted)
  if (first === 'pragma') return plainPragma.test(head) && !actingPragma.test(head)
  return reading.has(first)
}

/** Not by a pattern that ends with `$`: it is tried at every space. */
function trimStatement(bare: string | undefined): string | undefined {
  let end = bare?.length ?? 0
  while (end > 0 && /[;\s]/.test(bare?.[end - 1] ?? '')) end -= 1
  return bare?.slice(0, end)
}

const reading = new Set(['select', 'with', 'values', 'table', 'from', 'show', 'describe', 'desc'])

const plainShowCreate =
  /^show\s+create\s+(?:table|view|database|schema|procedure|function|trigger|event|user)\s+[\w.`"]+$/i

/** With a value in brackets most pragmas set it, as with `=`: these take a name. */
const plainPragma =
  /^pragma\s+(?:\w+\.)?(?:\w+|(?:(?:table|index)_x?info|(?:index|foreign_key)_list|\w+_check)\s*\([\w'"\s]*\))$/i
const actingPragma = /\b(?:optimize|incremental_vacuum|wal_checkpoint|shrink_memory)\b/i

/**
 * Anywhere, not only at the beginning: in a data-modifying CTE, SELECT INTO, FOR UPDATE; and SQL Server takes a second statement
 * without a semicolon between. `insert(` and `truncate(` are functions of MySQL.
 */
const acting = new RegExp(
  String.raw`(?<![.\w@$])(?:(?:insert|truncate)(?!\s*\(|\w)|(?:update|delete|drop|alter|create|exec|execute|merge|grant|revoke|deny|into|` +
    String.raw`declare|bulk|shutdown|reconfigure|dbcc|waitfor|writetext|updatetext)(?!\w)|(?:backup|restore)\s+(?:database|log|certificate)\b|` +
    String.raw`kill\s+[\d']|(?:enable|disable)\s+trigger\b|for\s+(?:key\s+)?share\b|lock\s+in\s+share\b)`,
  'i',
)

function callsActing(bare: string): boolean {
  for (const [, name = ''] of bare.matchAll(/(?<![\w$])([\w$]+)["`\]]?\s*\(/g)) {
    const lower = name.toLowerCase()
    if (!harmless.has(lower) && actingFunction.test(lower)) return true
  }
  return /\b(?:utl|dbms)_\w+\s*["`]?\s*\./i.test(bare)
}

/**
 * Functions that act, read files, reach other machines, or run text they are given: of PostgreSQL and its usual extensions, MySQL,
 * SQLite, SQL Server, Oracle, Snowflake, ClickHouse. And those of the user whose first word says so: `SELECT delete_user(5)`.
 */
const actingFunction = new RegExp(
  `^(?:${[
    'pg_(?:terminate|cancel|reload|rotate|read|ls|stat_file|stat_reset|file|sleep|notify|switch|create|drop|replication|logical|start|stop|backup|promote|wal_replay|export|import|copy|restore|try_advisory|advisory|log_backend|extension_config|clear|set)\\w*',
    'lo_\\w+|lowrite|loread|dblink\\w*|xp_\\w+|sp_\\w+|load_extension|load_file|readfile|writefile|edit|eval|fts3_tokenizer',
    'nextval|setval|\\w*(?:query|cursor)_to_xml\\w*|ts_stat|crosstab\\w*|connectby|sys_(?:exec|eval|get|set)\\w*',
    'openrowset|openquery|opendatasource|system\\$\\w+|http|http_\\w+|url|executable|httpuritype|sleep|benchmark',
    '(?:get|release)_(?:all_)?locks?|(?:un)?schedule|schedule_in_database|\\w+_pos_wait|exec\\w*|ai_\\w+',
    '(?:create|drop|delete|remove|insert|update|upsert|alter|add|set|reset|truncate|purge|clear|kill|terminate|cancel|send|notify|grant|revoke|refresh|run|invoke|call|enable|disable|move|decompress|compress|detach|attach|undo|pay|transfer|approve|publish|enqueue|import)_\\w+',
  ].join('|')})$`,
)
const harmless = new Set(['add_months', 'set_bit', 'set_byte', 'set_masklen', 'add_days', 'add_hours'])

const pieces = /--[^\n]*|\/\*[\s\S]*?\*\/|'[^']*'|"[^"]*"|`[^`]*`|[^-/'"`#[\\$\0]+|[\s\S]/g

/** Without comments and with strings emptied; undefined where databases would not agree what is string, comment and statement. */
function bareSql(text: string): string | undefined {
  let bare = ''
  for (const { 0: piece, index } of text.matchAll(pieces)) {
    if (piece.startsWith('--')) {
      // MySQL wants a space behind it, else it is two minuses; and it does not end a line at a lone CR.
      if (!/^--(?:\s|$)/.test(piece) || /\r./.test(piece)) return undefined
      bare += ' '
    } else if (piece.startsWith('/*')) {
      // MySQL runs what is in `/*! */`; PostgreSQL nests comments, others do not.
      if (/^\/\*M?!/.test(piece) || piece.indexOf('/*', 2) !== -1) return undefined
      bare += ' '
    } else if (piece.length > 1 && /^['"`]/.test(piece)) {
      if (isDisputed(piece, text.slice(Math.max(0, index - 4), index))) return undefined
      // A doubled quote gives two pieces: 'it''s'.
      bare += piece.startsWith("'") ? "''" : piece
    } else {
      if (/^['"`\\\0]$/.test(piece) || (piece === '/' && text[index + 1] === '*')) return undefined
      const rest = text.slice(index, index + longestName)
      if (piece === '$' && /^\$\w*\$/.test(rest)) return undefined
      // A comment of MySQL, an operator of PostgreSQL; a name of SQL Server, a subscript of others.
      if (piece === '#' && !readsAlike(/^[^\n\r]*/.exec(rest)?.[0] ?? '')) return undefined
      if (piece === '[' && !readsAlike(/^[^\]]*/.exec(rest)?.[0] ?? '')) return undefined
      bare += piece
    }
  }
  return bare
}

/** More than any line or name that is looked ahead for, and a bound on the work for a text full of brackets. */
const longestName = 1_000

/** By a backslash before its end (an escape for MySQL only), or by what stands before it: q'[it's]' of Oracle, U&"\0064" of PostgreSQL. */
function isDisputed(piece: string, before: string): boolean {
  if (piece.startsWith('`')) return !/^`[\w .:$*/-]*`$/.test(piece)
  const slashes = /(\\*).$/.exec(piece)?.[1]?.length ?? 0
  return slashes % 2 === 1 || /(?:\bn?q|u&)$/i.test(before)
}

function readsAlike(span: string): boolean {
  return span.length < longestName && !/['"`\\$]|--|\/\*/.test(span.replace(/'[^'\\]*'|"[^"\\]*"/g, ''))
}
