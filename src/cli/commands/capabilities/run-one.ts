import type { CapabilityReport } from '../../../gateway/capabilities-api.js'
import type { RunReport } from '../../../gateway/report-run.js'
import { isObject, type JsonObject } from '../../../model/json.js'
import { readCallArguments } from '../../call-arguments.js'
import type { Io } from '../../io.js'
import type { OwnRun } from '../../run-workflow.js'
import { pathOf, type Telling } from './telling.js'

/** What was typed. */
export interface RunWords {
  readonly words: readonly string[]
  readonly arguments: JsonObject
}

/** `key=value` after `key=value`; what is given as a whole comes first. @throws UsageError */
export async function readRunWords(
  words: readonly string[],
  whole: string | undefined,
  io: Io,
): Promise<RunWords> {
  const all = whole === undefined ? {} : await readCallArguments([whole], io)
  return { words, arguments: { ...all, ...(await readCallArguments(words, io)) } }
}

/** Runs it as a workflow of one task, until it has ended or waits for somebody who is not here. */
export async function runOne(
  name: string,
  given: RunWords,
  own: OwnRun,
  options: Telling & { readonly mayAsk: boolean },
): Promise<RunReport> {
  const { api, io, yes, mayAsk } = options
  const { id, inputSchema } = (await api.get(pathOf(name))) as CapabilityReport
  return own.run({ capability: id, arguments: asWanted(given, inputSchema) }, { api, io, yes, mayAsk })
}

/** `id=5` is a number only to who does not know that text is wanted there. */
function asWanted({ words, arguments: given }: RunWords, { properties }: JsonObject): JsonObject {
  const texts = words.flatMap((word): [string, string][] => {
    const equals = word.indexOf('=')
    const key = word.slice(0, equals)
    const schema = isObject(properties) && Object.hasOwn(properties, key) ? properties[key] : undefined
    const isText = equals > 0 && isObject(schema) && schema.type === 'string'
    return isText && typeof given[key] !== 'string' ? [[key, word.slice(equals + 1)]] : []
  })
  return { ...given, ...Object.fromEntries(texts) }
}
