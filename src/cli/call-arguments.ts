import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { UsageError } from '../errors.js'
import { isObject, type Json, type JsonObject } from '../model/json.js'
import { type Io, readAll } from './io.js'

export const argumentForms = `
ARGUMENTS OF THE TOOL

  key=value ...   numbers, true, false, null, [lists], {objects} and "quoted text" are taken as JSON unless the tool
                  wants text there; all else is text. To send the text 5 in any case, write key='"5"'.
  '{"a": 1}'      one JSON object
  @file           a file that holds one JSON object
  -               the same from standard input`

/** What was typed after the tool's name, as the arguments of the call. */
export async function readCallArguments(words: readonly string[], io: Io): Promise<JsonObject> {
  const [first] = words
  if (first === undefined) return {}
  if (words.length === 1) {
    if (first === '-') return parseObject(await readAll(io.stdin), 'standard input')
    if (first.startsWith('@'))
      return parseObject(await readText(resolve(io.cwd, first.slice(1))), first.slice(1))
    if (first.trimStart().startsWith('{')) return parseObject(first, 'the arguments')
  }
  return Object.fromEntries(words.map(parsePair))
}

/**
 * The same arguments with the text that was typed wherever the tool wants text: `id=5` is a number only to who does not know
 * its schema. Undefined where that is not what was wrong.
 */
export function textWhereWanted(
  words: readonly string[],
  given: JsonObject,
  complaint: string,
): JsonObject | undefined {
  const wanted = words.flatMap((word) => {
    const equals = word.indexOf('=')
    const key = word.slice(0, equals)
    const issue = complaint.split(/schema: |; /).find((part) => part.startsWith(`/${key}: must be `))
    const fits =
      equals > 0 && typeof given[key] !== 'string' && issue !== undefined && /\bstring\b/.test(issue)
    return fits ? [[key, word.slice(equals + 1)] as const] : []
  })
  return wanted.length === 0 ? undefined : { ...given, ...Object.fromEntries(wanted) }
}

function parsePair(word: string): [string, Json] {
  const equals = word.indexOf('=')
  if (equals < 1) {
    throw new UsageError(`Expected key=value, got "${word}".`, 'Write key=value, a JSON object, @file or -.')
  }
  return [word.slice(0, equals), coerce(word.slice(equals + 1))]
}

/** JSON where it is JSON; an integer beyond 2^53 would change, so it stays text. */
function coerce(text: string): Json {
  try {
    const value = JSON.parse(text) as Json
    return typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value) ? text : value
  } catch {
    return text
  }
}

function parseObject(text: string, source: string): JsonObject {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new UsageError(`Expected JSON in ${source}: ${(error as Error).message}.`)
  }
  if (!isObject(value)) throw new UsageError(`Expected one JSON object in ${source}.`)
  return value
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    throw new UsageError(`Cannot read ${file}: ${(error as Error).message}.`, 'Check the path after @.')
  }
}
