import { ConfigError } from '../errors.js'
import { findEntry, JsonSyntaxError, type JsonTree, parseJsonTree, treeValue } from '../model/json-tree.js'

export type Path = readonly (string | number)[]

/** A configuration file as data, where every path can be traced back to its line. */
export interface ConfigText {
  readonly value: unknown
  /** The line of the path, or of the innermost part of it that the file has. */
  lineOf(path: Path): number
}

/** A hundred servers take some 30 KB; a file beyond this is a mistake, and `yaml` would take minutes over it. */
const largestFile = 1024 * 1024
/** The `yaml` package recurses per level and cannot be stopped; this many levels are safe on its stack. */
const deepestYaml = 200

export async function parseConfigText(text: string, file: string): Promise<ConfigText> {
  if (text.length > largestFile) {
    throw new ConfigError(file, undefined, `expected at most ${largestFile} characters, got ${text.length}`)
  }
  const clean = text.startsWith('\ufeff') ? text.slice(1) : text
  return isJsonFile(file) ? parseJson(clean, file) : await parseYaml(clean, file)
}

export function isJsonFile(file: string): boolean {
  return /\.jsonc?$/i.test(file)
}

function parseJson(text: string, file: string): ConfigText {
  if (text.trim() === '') return { value: {}, lineOf: () => 1 }
  try {
    const tree = parseJsonTree(text)
    return { value: treeValue(tree), lineOf: (path) => lineAt(text, offsetInJson(tree, path)) }
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error
    throw new ConfigError(file, lineAt(text, error.offset), error.message, { cause: error })
  }
}

function offsetInJson(tree: JsonTree, path: Path): number {
  let node: JsonTree | undefined = tree
  let offset = tree.start
  for (const step of path) {
    if (node?.kind === 'object') {
      const entry = findEntry(node, String(step))
      if (entry === undefined) break
      offset = entry.start
      node = entry.value
    } else if (node?.kind === 'array') {
      node = node.items[Number(step)]
      offset = node?.start ?? offset
    } else break
  }
  return offset
}

export function lineAt(text: string, offset: number): number {
  let line = 1
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) line++
  return line
}

/** Loaded here and not at the top: a client's JSON needs no YAML reader, and reading one costs start-up time. */
async function parseYaml(text: string, file: string): Promise<ConfigText> {
  refuseDeepYaml(text, file)
  const { parseDocument, isAlias, isMap, isScalar, isSeq } = await import('yaml')
  const document = parseDocument(text, { merge: true, prettyErrors: false })
  const [error, ...others] = document.errors.map(
    (cause) =>
      new ConfigError(file, lineAt(text, cause.pos[0]), `expected YAML: ${firstLine(cause.message)}`, {
        cause,
      }),
  )
  if (error !== undefined) {
    throw new ConfigError(file, error.line, error.expected, { cause: error.cause }, others)
  }
  let value: unknown
  try {
    value = document.toJS() ?? {}
    // An anchor that holds itself gives a circle, which nothing after this could walk.
    JSON.stringify(value)
  } catch (cause) {
    throw new ConfigError(file, undefined, `expected YAML: ${firstLine(String(cause))}`, { cause })
  }
  return { value, lineOf: (path) => lineAt(text, offsetInYaml(path)) }

  function offsetInYaml(path: Path): number {
    let node: unknown = document.contents
    let offset = document.contents?.range?.[0] ?? 0
    for (const step of path) {
      if (isAlias(node)) node = node.resolve(document)
      if (isMap(node)) {
        const pair = node.items.find((item) => isScalar(item.key) && String(item.key.value) === String(step))
        if (pair === undefined || !isScalar(pair.key)) break
        offset = pair.key.range?.[0] ?? offset
        node = pair.value
      } else if (isSeq(node)) {
        node = node.items[Number(step)]
        offset = (node as { range?: readonly number[] } | undefined)?.range?.[0] ?? offset
      } else break
    }
    return offset
  }
}

/** Counts what opens a level: brackets left open, `- - -` and `? ? ?` on one line, and ever deeper indents. */
function refuseDeepYaml(text: string, file: string): void {
  let open = 0
  const indents = [0]
  for (const [index, line] of text.split('\n').entries()) {
    const indent = line.length - line.trimStart().length
    while (indent < indents.at(-1)!) indents.pop()
    if (indent > indents.at(-1)!) indents.push(indent)
    const marks = /^(?:[-?:]\s+)*/.exec(line.slice(indent))?.[0].replace(/\s/g, '').length ?? 0
    for (const character of line) {
      if (character === '[' || character === '{') open++
      else if (character === ']' || character === '}') open = Math.max(0, open - 1)
      if (open > deepestYaml) throw tooDeep(index)
    }
    if (indents.length + marks > deepestYaml) throw tooDeep(index)
  }

  function tooDeep(index: number): ConfigError {
    return new ConfigError(file, index + 1, `expected at most ${deepestYaml} levels of nesting`)
  }
}

function firstLine(message: string): string {
  return message.split('\n')[0]!
}
