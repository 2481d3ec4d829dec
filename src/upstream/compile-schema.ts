/** A server's input schema as a function that checks arguments, made under limits: the schema is not ours. */
import type { Ajv, ErrorObject, Options } from 'ajv'
import { isDeeperThan } from '../model/is-deeper-than.js'
import type { JsonObject } from '../model/json.js'
import { linearPattern } from './linear-pattern.js'
import { withinBudget } from './time-budget.js'

export type SchemaCheck = (value: unknown) => readonly ErrorObject[]

export const schemaLimits = {
  /** Of its JSON text. The largest honest schema we have met is some 60 KB. */
  characters: 256 * 1024,
  depth: 100,
  compileMs: 1000,
  checkMs: 250,
}

const options: Options = {
  strict: false,
  allErrors: true,
  verbose: true,
  validateFormats: false,
  validateSchema: false,
  inlineRefs: false,
  ownProperties: true,
  logger: false,
  code: { regExp: Object.assign((source: string) => linearPattern(source), { code: 'linearPattern' }) },
}

/** Rejects when the schema cannot be compiled within the limits; nothing is ever fetched for it. */
export async function compileSchema(schema: JsonObject): Promise<SchemaCheck> {
  const text = JSON.stringify(schema)
  if (text.length > schemaLimits.characters)
    throw new Error(`it is larger than ${schemaLimits.characters} characters`)
  if (isDeeperThan(schema, schemaLimits.depth))
    throw new Error(`it is nested deeper than ${schemaLimits.depth} levels`)
  refuseMisjudged(text)
  // An instance of its own: no schema can clash with, or refer to, one of another tool.
  const ajv = await createAjv(schema.$schema)
  const validate = withinBudget(schemaLimits.compileMs, () => ajv.compile(schema))
  const run = (value: unknown): readonly ErrorObject[] => (validate(value) ? [] : (validate.errors ?? []))
  return mayBeSlow(text) ? (value) => withinBudget(schemaLimits.checkMs, () => run(value)) : run
}

/** Where ajv is known to refuse what is valid (JSON-Schema-Test-Suite), it is not asked: better unchecked than wrong. */
function refuseMisjudged(text: string): void {
  const uses = (keyword: string): boolean => text.includes(`"${keyword}":`)
  if (uses('$dynamicRef') || uses('$recursiveRef')) throw new Error('it uses dynamic references')
  if (uses('unevaluatedItems')) throw new Error('it uses unevaluatedItems')
  if (uses('unevaluatedProperties') && uses('if')) throw new Error('it uses unevaluatedProperties beside if')
}

/** The specification's default is 2020-12. */
async function createAjv(dialect: unknown = 'https://json-schema.org/draft/2020-12/schema'): Promise<Ajv> {
  const [, version] =
    /^https?:\/\/json-schema\.org\/(?:draft\/)?([^/]+)\/schema#?$/.exec(String(dialect)) ?? []
  if (version === '2020-12') return new (await import('ajv/dist/2020.js')).Ajv2020(options)
  if (version === '2019-09') return new (await import('ajv/dist/2019.js')).Ajv2019(options)
  // Before 2019-09 a reference stood alone: what is written beside it says nothing.
  const alone = { ...options, ignoreKeywordsWithRef: true }
  if (version === 'draft-07' || version === 'draft-06') return new (await import('ajv')).Ajv(alone)
  throw new Error(`its dialect is not known: ${String(dialect).slice(0, 100)}`)
}

/** References may branch without end, unique items are compared in pairs, patterns and wide unions meet long texts. */
function mayBeSlow(text: string): boolean {
  return /"(?:\$ref|uniqueItems|pattern|patternProperties)":/.test(text)
}
