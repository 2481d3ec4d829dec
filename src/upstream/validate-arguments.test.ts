import { describe, expect, test } from 'vitest'
import { BadArgumentsError } from '../errors.js'
import type { JsonObject } from '../model/json.js'
import { type Log, silentLog } from '../model/log.js'
import { seeDefinition } from './pins.js'
import { createSchemaChecks } from './schema-checks.js'
import { createArgumentCheck } from './validate-arguments.js'

async function issuesOf(inputSchema: JsonObject, args: JsonObject, log: Log = silentLog) {
  const tool = seeDefinition(undefined, 'files', { name: 'read', inputSchema }, 0)
  const check = createArgumentCheck(createSchemaChecks({ log }))
  try {
    await check(tool, args)
    return []
  } catch (error) {
    if (error instanceof BadArgumentsError) return error.issues
    throw error
  }
}

const schema: JsonObject = {
  type: 'object',
  properties: {
    path: { type: 'string' },
    mode: { enum: ['text', 'binary'] },
    range: { type: 'object', properties: { from: { type: 'integer' } } },
  },
  required: ['path'],
  additionalProperties: false,
}

describe('arguments against a schema', () => {
  test('arguments that fit pass', async () => {
    expect(await issuesOf(schema, { path: '/a', mode: 'text', range: { from: 1 } })).toEqual([])
  })

  test('every issue says where it is and what was expected', async () => {
    expect(await issuesOf(schema, { mode: 'hex', range: { from: 'x' }, pth: '/a' })).toEqual([
      { path: '/path', expected: 'is required' },
      { path: '', expected: 'has no property "pth"; did you mean "path"?' },
      { path: '/mode', expected: 'must be one of "text", "binary"' },
      { path: '/range/from', expected: 'must be integer' },
    ])
  })

  test('a schema of draft-07 is read as one', async () => {
    const tuple = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      properties: { a: { items: [{ type: 'string' }] } },
    }
    expect(await issuesOf(tuple, { a: [1] })).toEqual([{ path: '/a/0', expected: 'must be string' }])
  })

  test('a schema that cannot be compiled lets arguments pass, with one warning', async () => {
    const warnings: string[] = []
    const log: Log = { ...silentLog, warn: (message) => warnings.push(message) }
    const check = createArgumentCheck(createSchemaChecks({ log }))
    const tool = seeDefinition(
      undefined,
      's',
      { name: 't', inputSchema: { $ref: 'https://example.test/s' } },
      0,
    )
    await check(tool, { any: 1 })
    await check(tool, { any: 2 })
    await check(
      { ...tool, definition: { ...tool.definition, inputSchema: { ...tool.definition.inputSchema } } },
      {},
    )
    expect(warnings).toEqual(['The arguments of s:t are not checked: its schema cannot be compiled.'])
  })

  test('a format is not asserted', async () => {
    expect(await issuesOf({ properties: { a: { type: 'string', format: 'email' } } }, { a: 'no' })).toEqual(
      [],
    )
  })
})
