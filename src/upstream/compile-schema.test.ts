import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../model/json.js'
import { compileSchema } from './compile-schema.js'

const suite = fileURLToPath(new URL('../../../shared/corpora/json-schema-test-suite/', import.meta.url))
const dialects = {
  'draft2020-12': 'https://json-schema.org/draft/2020-12/schema',
  draft7: 'http://json-schema.org/draft-07/schema#',
}

interface Group {
  readonly description: string
  readonly schema: JsonObject
  readonly tests: readonly { readonly description: string; readonly data: unknown; readonly valid: boolean }[]
}

describe.skipIf(!existsSync(suite))(
  'JSON-Schema-Test-Suite (skipped where ../shared/corpora is absent)',
  () => {
    for (const [draft, dialect] of Object.entries(dialects)) {
      test(`${draft}: our verdict equals the suite's for every schema we compile`, async () => {
        const wrong: string[] = []
        const refused = new Set<string>()
        let right = 0
        for (const { file, group } of groupsOf(draft)) {
          const check = await compileSchema({ $schema: dialect, ...group.schema }).catch(() => undefined)
          if (check === undefined) refused.add(file)
          for (const { description, data, valid } of check === undefined ? [] : group.tests) {
            if ((check!(data).length === 0) === valid) right += 1
            else wrong.push(`${file}: ${group.description}: ${description}`)
          }
        }
        expect(wrong).toEqual(deviations[draft])
        expect([...refused].sort()).toEqual(notJudged[draft])
        expect(right).toBeGreaterThan(850)
      })
    }
  },
)

/** Verdicts of ajv that are not the suite's, each with its reason. */
const deviations: Readonly<Record<string, readonly string[]>> = {
  'draft2020-12': [
    // ajv reads the schemas of properties from a plain object, where `__proto__` is no key of its own.
    'properties.json: properties whose names are Javascript object property names: __proto__ not valid',
  ],
  draft7: [
    'properties.json: properties whose names are Javascript object property names: __proto__ not valid',
    // ajv resolves a reference against an $id beside it, which draft-07 says to ignore.
    'ref.json: $ref prevents a sibling $id from changing the base uri: $ref resolves to /definitions/base_foo, data does not validate',
    'ref.json: $ref prevents a sibling $id from changing the base uri: $ref resolves to /definitions/base_foo, data validates',
  ],
}

/** Files with schemas that we pass unchecked: remote references, dynamic ones, unevaluated items, unknown dialects. */
const notJudged: Readonly<Record<string, readonly string[]>> = {
  'draft2020-12': [
    'dynamicRef.json',
    // ajv wants at least one value.
    'enum.json',
    // Relative references between embedded resources that ajv does not resolve.
    'ref.json',
    'refRemote.json',
    'unevaluatedItems.json',
    'unevaluatedProperties.json',
    'vocabulary.json',
  ],
  draft7: ['refRemote.json'],
}

/** A tool's schema is an object: boolean schemas are left out. */
function* groupsOf(draft: string): Generator<{ file: string; group: Group }> {
  for (const file of readdirSync(`${suite}${draft}`).filter((name) => name.endsWith('.json'))) {
    for (const group of JSON.parse(readFileSync(`${suite}${draft}/${file}`, 'utf8')) as Group[]) {
      if (typeof group.schema !== 'boolean') yield { file, group }
    }
  }
}

describe('schemas of servers we do not trust', () => {
  test('a schema that is too large or too deep is refused', async () => {
    await expect(compileSchema({ description: 'x'.repeat(300_000) })).rejects.toThrow('larger than')
    let deep: JsonObject = {}
    for (let level = 0; level < 200; level += 1) deep = { properties: { a: deep } }
    await expect(compileSchema(deep)).rejects.toThrow('nested deeper')
  })

  test('a remote reference is never fetched', async () => {
    await expect(compileSchema({ $ref: 'http://127.0.0.1:9/schema.json' })).rejects.toThrow("can't resolve")
  })

  test('a pattern made to backtrack for years is decided at once', async () => {
    const check = await compileSchema({ properties: { a: { type: 'string', pattern: '^(a+)+$' } } })
    const startedAt = Date.now()
    expect(check({ a: `${'a'.repeat(50_000)}!` })).toHaveLength(1)
    expect(Date.now() - startedAt).toBeLessThan(1000)
  })

  test('a pattern beyond RE2 is not checked', async () => {
    const check = await compileSchema({ properties: { a: { type: 'string', pattern: '^(?=x)y' } } })
    expect(check({ a: 'z' })).toEqual([])
    expect(check({ a: 1 })).toHaveLength(1)
  })

  test('references that double at every step are stopped by the clock', async () => {
    const $defs: Record<string, JsonObject> = { d0: { type: 'string' } }
    for (let level = 1; level < 40; level += 1) {
      const $ref = `#/$defs/d${level - 1}`
      $defs[`d${level}`] = { allOf: [{ $ref }, { $ref }] }
    }
    const check = await compileSchema({ $defs, $ref: '#/$defs/d39' })
    const startedAt = Date.now()
    expect(() => check({})).toThrow('timed out')
    expect(Date.now() - startedAt).toBeLessThan(1500)
  })

  test('a reference to itself ends in an error, not in the end of the process', async () => {
    const check = await compileSchema({ $ref: '#' })
    expect(() => check({})).toThrow()
  })
})
