import { describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../model/json.js'
import { seededRandom } from '../../model/seeded-random.js'
import { declareTools } from './declare-tools.js'
import { readProgram } from './read-program.js'

const declare = (inputSchema: JsonObject, outputSchema?: JsonObject) =>
  declareTools([{ id: 's:t', definition: { inputSchema, ...(outputSchema && { outputSchema }) } }])

describe('declareTools', () => {
  it('writes what an agent would', () => {
    expect(
      declareTools([
        {
          id: 'filesystem:read_file',
          definition: {
            description: 'Reads\n  a file. */ alert()',
            inputSchema: {
              type: 'object',
              properties: {
                path: { type: 'string' },
                head: { type: 'integer' },
                mode: { enum: ['text', 'bytes'] },
                'x-y': { type: ['string', 'null'] },
                tags: { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'number' }] } },
              },
              required: ['path'],
            },
            outputSchema: {
              type: 'object',
              properties: { items: { type: 'array', items: { $ref: '#/$defs/item' } } },
              required: ['items'],
              $defs: {
                item: {
                  type: 'object',
                  properties: { id: { type: 'number' }, next: { $ref: '#/$defs/item' } },
                },
              },
            },
          },
        },
        { id: 'filesystem:list', definition: { inputSchema: { type: 'object' } } },
        { id: 'my-server:do.it', definition: { inputSchema: { type: 'object', properties: {} } } },
      ]),
    ).toBe(`declare const tools: {
  filesystem: {
    /** Reads a file. * / alert() */
    read_file(args: { path: string; head?: number; mode?: "text" | "bytes"; "x-y"?: string | null; tags?: (string | number)[] }): Promise<{ items: { id?: number; next?: any }[] }>
    list(args?: {}): Promise<any>
  }
  "my-server": {
    "do.it"(args?: {}): Promise<any>
  }
}`)
  })

  it.each([
    ['a const', { type: 'object', properties: { a: { const: 'x' } }, required: ['a'] }, '{ a: "x" }'],
    [
      'a map',
      {
        type: 'object',
        properties: { a: { type: 'object', additionalProperties: { type: 'number' } } },
        required: ['a'],
      },
      '{ a: Record<string, number> }',
    ],
    [
      'parts together',
      {
        type: 'object',
        properties: {
          a: {
            allOf: [
              { type: 'object', properties: { b: { type: 'string' } } },
              { type: 'object', properties: { c: { type: 'string' } } },
            ],
          },
        },
        required: ['a'],
      },
      '{ a: { b?: string } & { c?: string } }',
    ],
    ['what is forbidden', { type: 'object', properties: { a: false }, required: ['a'] }, '{ a: never }'],
    [
      'a reference outwards',
      { type: 'object', properties: { a: { $ref: 'https://x.example/s.json' } }, required: ['a'] },
      '{ a: any }',
    ],
    [
      'one that leads to itself',
      { type: 'object', properties: { a: { $ref: '#/properties/a' } }, required: ['a'] },
      '{ a: any }',
    ],
  ] as const)('understands %s', (_, schema, type) => {
    expect(declare(schema as unknown as JsonObject)).toContain(`t(args: ${type}): Promise<any>`)
  })

  it('stays short whatever comes', () => {
    const wide = Object.fromEntries(
      Array.from({ length: 500 }, (_, i) => [`property_${i}`, { type: 'string' }]),
    )
    expect(declare({ type: 'object', properties: wide }).length).toBeLessThan(2_500)
    const choices = Array.from({ length: 300 }, (_, i) => `choice ${i}`)
    expect(declare({ type: 'object', properties: { a: { enum: choices } }, required: ['a'] })).toContain(
      '{ a: string }',
    )
    let deep: JsonObject = { type: 'string' }
    for (let i = 0; i < 5_000; i++) deep = { type: 'object', properties: { a: deep } }
    expect(declare(deep).length).toBeLessThan(2_500)
  })

  it('is TypeScript for any schema', () => {
    const random = seededRandom(10)
    for (let round = 0; round < 500; round++) {
      const tools = Array.from({ length: 3 }, () => ({
        id: `${word(random)}:${word(random)}`,
        definition: {
          description: word(random),
          inputSchema: randomSchema(random, 4) as JsonObject,
          outputSchema: randomSchema(random, 3) as JsonObject,
        },
      }))
      const text = declareTools(tools)
      expect(() => readProgram(`${text}\nreturn 1`), text).not.toThrow()
    }
  })
})

function randomSchema(random: () => number, depth: number): Json {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!
  if (random() < 0.05) return pick<Json>([true, false, null, 5, 'x', []])
  const sub = () => (depth === 0 ? { type: 'string' } : randomSchema(random, depth - 1))
  const many = () => Array.from({ length: Math.floor(random() * 4) }, sub)
  const fields = () =>
    Object.fromEntries(Array.from({ length: Math.floor(random() * 4) }, () => [word(random), sub()]))
  return {
    ...(random() < 0.8 && {
      type: pick<Json>([
        'object',
        'array',
        'string',
        'number',
        'integer',
        'null',
        'odd',
        ['string', 'null'],
        [],
        7,
      ]),
    }),
    ...(random() < 0.5 && { properties: pick<Json>([fields(), fields(), 5, null]) }),
    ...(random() < 0.3 && { required: pick<Json>([['a'], [1], 'a', []]) }),
    ...(random() < 0.2 && { items: pick<Json>([sub(), many(), true]) }),
    ...(random() < 0.15 && { enum: pick<Json>([[word(random), 1, null, { a: 1 }], [], [[]], 'x']) }),
    ...(random() < 0.1 && { const: pick<Json>([word(random), -0.5, 1e21, null, { a: 1 }]) }),
    ...(random() < 0.15 && { anyOf: pick<Json>([many(), 'x']) }),
    ...(random() < 0.15 && { oneOf: many() }),
    ...(random() < 0.15 && { allOf: many() }),
    ...(random() < 0.1 && {
      $ref: pick(['#', '#/properties/a', '#/$defs/x', 'other.json', '#/__proto__', '']),
    }),
    ...(random() < 0.2 && { additionalProperties: pick<Json>([true, false, sub()]) }),
  }
}

const words = [
  'a',
  'path',
  'x-y',
  '1',
  '',
  '__proto__',
  'class',
  'a"b',
  "a'b",
  'a\\',
  'a\nb',
  '*/',
  '`',
  '${x}',
  'é',
  '\u2028',
  'constructor',
  '</script>',
  '//',
  'a b',
  '$',
]

function word(random: () => number): string {
  return words[Math.floor(random() * words.length)]!
}
