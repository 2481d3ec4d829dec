/**
 * JSON as MCP clients write it: comments and trailing commas are allowed, and every value knows where it stands.
 *
 * The `yaml` package is not used for this: it reads `{"a": 1 "b": 2}` as one key without complaint, and dies of deep
 * nesting together with the process.
 */
export type JsonTree = JsonTreeObject | JsonTreeArray | JsonTreeScalar

export interface JsonTreeObject {
  readonly kind: 'object'
  readonly start: number
  readonly end: number
  readonly entries: readonly JsonTreeEntry[]
}
export interface JsonTreeEntry {
  readonly key: string
  readonly start: number
  readonly value: JsonTree
}
interface JsonTreeArray {
  readonly kind: 'array'
  readonly start: number
  readonly end: number
  readonly items: readonly JsonTree[]
}
interface JsonTreeScalar {
  readonly kind: 'scalar'
  readonly start: number
  readonly end: number
  readonly value: string | number | boolean | null
}

export class JsonSyntaxError extends Error {
  constructor(
    readonly offset: number,
    expected: string,
  ) {
    super(expected)
  }
}

/** Far above any real configuration, far below the end of the stack. */
const deepest = 200
const numberAt = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const wordAt = /[A-Za-z]+/y
const words: Readonly<Record<string, boolean | null>> = { true: true, false: false, null: null }

export function parseJsonTree(text: string): JsonTree {
  let at = text.startsWith('\ufeff') ? 1 : 0
  skipSpace()
  const root = value(0)
  skipSpace()
  if (at < text.length) throw expected('the end of the file')
  return root

  function value(depth: number): JsonTree {
    if (depth > deepest) throw new JsonSyntaxError(at, `expected at most ${deepest} levels of nesting`)
    const start = at
    switch (text[at]) {
      case '{':
        return object(depth)
      case '[':
        return array(depth)
      case '"':
        return { kind: 'scalar', start, value: string(), end: at }
    }
    const number = match(numberAt)
    if (number !== undefined) return { kind: 'scalar', start, value: Number(number), end: at }
    const word = match(wordAt)
    if (word !== undefined && Object.hasOwn(words, word)) {
      return { kind: 'scalar', start, value: words[word]!, end: at }
    }
    at = start
    throw expected('a value')
  }

  function object(depth: number): JsonTree {
    const start = at++
    const entries: JsonTreeEntry[] = []
    for (;;) {
      skipSpace()
      if (text[at] === '}') break
      if (text[at] !== '"') throw expected('a key in double quotes or "}"')
      const keyStart = at
      const key = string()
      skipSpace()
      if (text[at] !== ':') throw expected('":" after the key')
      at++
      skipSpace()
      entries.push({ key, start: keyStart, value: value(depth + 1) })
      if (!comma('}')) break
    }
    return { kind: 'object', start, end: ++at, entries }
  }

  function array(depth: number): JsonTree {
    const start = at++
    const items: JsonTree[] = []
    for (;;) {
      skipSpace()
      if (text[at] === ']') break
      items.push(value(depth + 1))
      if (!comma(']')) break
    }
    return { kind: 'array', start, end: ++at, items }
  }

  /** True after a comma; false at the closing bracket, which is left for the caller. */
  function comma(close: string): boolean {
    skipSpace()
    if (text[at] === close) return false
    if (text[at] !== ',') throw expected(`"," or "${close}"`)
    at++
    return true
  }

  function string(): string {
    const start = at++
    while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1
    if (at >= text.length) throw new JsonSyntaxError(start, 'expected a closing double quote')
    at++
    try {
      return JSON.parse(text.slice(start, at)) as string
    } catch {
      throw new JsonSyntaxError(start, 'expected a string without raw line breaks and with JSON escapes only')
    }
  }

  function skipSpace(): void {
    for (;;) {
      while (at < text.length && ' \t\r\n'.includes(text[at]!)) at++
      if (text.startsWith('//', at)) at = orEnd(text.indexOf('\n', at))
      else if (text.startsWith('/*', at)) {
        const close = text.indexOf('*/', at + 2)
        if (close < 0) throw new JsonSyntaxError(at, 'expected "*/" after the comment')
        at = close + 2
      } else return
    }
  }

  function match(pattern: RegExp): string | undefined {
    pattern.lastIndex = at
    const found = pattern.exec(text)?.[0]
    if (found !== undefined) at += found.length
    return found
  }

  function orEnd(offset: number): number {
    return offset < 0 ? text.length : offset
  }

  function expected(what: string): JsonSyntaxError {
    const got = at < text.length ? JSON.stringify(text[at]) : 'the end of the file'
    return new JsonSyntaxError(at, `expected ${what}, got ${got}`)
  }
}

/** The plain value; of two entries with one key the last counts, as JSON.parse has it. */
export function treeValue(tree: JsonTree): unknown {
  switch (tree.kind) {
    case 'scalar':
      return tree.value
    case 'array':
      return tree.items.map(treeValue)
    case 'object':
      return Object.fromEntries(tree.entries.map((entry) => [entry.key, treeValue(entry.value)]))
  }
}

export function findEntry(tree: JsonTree, key: string): JsonTreeEntry | undefined {
  return tree.kind === 'object' ? tree.entries.findLast((entry) => entry.key === key) : undefined
}
