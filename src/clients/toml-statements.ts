/** One line, or several, that say one thing: a table's header or a key with its value. */
export interface TomlStatement {
  readonly kind: 'table' | 'pair'
  /** From the root of the file on. */
  readonly path: readonly string[]
  /** Whole lines: from the start of its first to the start of the next one after it. */
  readonly start: number
  readonly end: number
}

/** Where each statement of a TOML text stands. The text was parsed before, so that everything in it closes. */
export function tomlStatements(text: string): readonly TomlStatement[] {
  const statements: TomlStatement[] = []
  let table: readonly string[] = []
  let at = text.startsWith('\ufeff') ? 1 : 0
  for (;;) {
    skip(/[\s]*/y)
    if (at >= text.length) return statements
    if (text[at] === '#') {
      skip(/[^\n]*/y)
      continue
    }
    const start = Math.max(text.lastIndexOf('\n', at - 1) + 1, text.startsWith('\ufeff') ? 1 : 0)
    if (text[at] === '[') {
      skip(/\[+/y)
      table = keyPath()
      skip(/[^\n]*\n?/y)
      statements.push({ kind: 'table', path: table, start, end: at })
    } else {
      const path = [...table, ...keyPath()]
      skip(/\s*=/y)
      skipValue()
      skip(/[^\n]*\n?/y)
      statements.push({ kind: 'pair', path, start, end: at })
    }
  }

  function keyPath(): readonly string[] {
    const path: string[] = []
    do {
      skip(/[ \t]*/y)
      const quote = text[at]
      if (quote === '"' || quote === "'") path.push(unquoted(skipString(), quote))
      else path.push(skip(/[^\s.=\]]*/y))
      skip(/[ \t]*/y)
    } while (skip(/\./y) !== '')
    return path
  }

  /** Up to the end of its line, or of the line on which its last bracket closes. */
  function skipValue(): void {
    let open = 0
    for (;;) {
      const character = text[at]
      if (character === undefined || (open === 0 && (character === '\n' || character === '#'))) return
      if (character === '"' || character === "'") skipString()
      else if (character === '#') skip(/[^\n]*/y)
      else {
        if (character === '[' || character === '{') open++
        if (character === ']' || character === '}') open--
        at++
      }
    }
  }

  function skipString(): string {
    const from = at
    const quote = text[at]!
    const close = text.startsWith(quote.repeat(3), at) ? quote.repeat(3) : quote
    at += close.length
    while (at < text.length && !text.startsWith(close, at)) at += quote === '"' && text[at] === '\\' ? 2 : 1
    at += close.length
    // A string of several lines may end in one or two quotes of its own.
    while (close.length === 3 && text[at] === quote) at++
    return text.slice(from, at)
  }

  function skip(pattern: RegExp): string {
    pattern.lastIndex = at
    const found = pattern.exec(text)?.[0] ?? ''
    at += found.length
    return found
  }
}

function unquoted(written: string, quote: string): string {
  const inside = written.slice(1, -1)
  if (quote === "'") return inside
  try {
    return JSON.parse(written) as string
  } catch {
    return inside
  }
}
