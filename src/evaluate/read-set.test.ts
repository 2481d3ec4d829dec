import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { UsageError } from '../errors.js'
import { readQueries, readRows, readToolSet } from './read-set.js'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pml-set-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const write = (name: string, text: string) => writeFile(join(folder, `${name}.jsonl`), text)
const lines = (...rows: unknown[]) => rows.map((row) => JSON.stringify(row)).join('\n')

describe('tools', () => {
  it('are as the set says, and known by its ids', async () => {
    const schema = { type: 'object', properties: { path: { type: 'string' } } }
    await write(
      'tools',
      lines({
        id: 't1',
        server: 'files',
        name: 'read',
        description: 'Reads',
        inputSchema: schema,
        outputSchema: { type: 'string' },
        annotations: { readOnlyHint: true },
      }),
    )
    const { tools, idOf, toolOf } = await readToolSet(folder)
    expect(tools).toEqual([
      {
        id: 'files:read',
        server: 'files',
        name: 'read',
        definition: {
          name: 'read',
          description: 'Reads',
          inputSchema: schema,
          outputSchema: { type: 'string' },
          annotations: { readOnlyHint: true },
        },
        hash: '',
        listed: true,
        flags: [],
      },
    ])
    expect(idOf(tools[0]!.id)).toBe('t1')
    expect(toolOf('t1')).toBe('files:read')
    expect(toolOf('t2')).toBeUndefined()
  })

  it('of one name each have an id of their own; of one id the first counts', async () => {
    await write(
      'tools',
      lines(
        { id: 1, server: 'a:b', name: 'x' },
        { id: 2, server: 'a:b', name: 'x' },
        { id: 2, server: 'a:b', name: 'y' },
        { id: 'bare' },
      ),
    )
    const { tools, idOf } = await readToolSet(folder)
    expect(tools.map(({ id }) => [id, idOf(id)])).toEqual([
      ['a/b:x', '1'],
      ['a/b:x#2', '2'],
      ['set:bare', 'bare'],
    ])
  })

  it('with fields that are not what they should be have none', async () => {
    await write(
      'tools',
      lines({ id: 't', description: 5, inputSchema: [], outputSchema: 'x', annotations: 1 }),
    )
    const [tool] = (await readToolSet(folder)).tools
    expect(tool!.definition).toEqual({ name: 't', description: '', inputSchema: { type: 'object' } })
  })
})

describe('queries', () => {
  it('name each wanted tool once', async () => {
    await write('queries', lines({ id: 'q', query: 'do it', gold: ['a', 2, 'a'] }))
    expect(await readQueries(folder)).toEqual([{ id: 'q', query: 'do it', gold: ['a', '2'] }])
  })

  it.each([
    ['gold is missing', { id: 'q', query: 'x' }, '"gold", a list of tool ids'],
    ['gold holds something else', { id: 'q', query: 'x', gold: ['a', null] }, '"gold", a list of tool ids'],
    ['the request is missing', { id: 'q', gold: [] }, '"query", a text'],
    ['the id is empty', { id: '', query: 'x', gold: [] }, '"id", a text'],
  ])('are refused where %s', async (_, row, expected) => {
    await write('queries', lines({ id: 'ok', query: 'x', gold: [] }, row))
    await expect(readQueries(folder)).rejects.toThrow(`queries.jsonl:2: expected ${expected}`)
  })
})

describe('files', () => {
  it('may hold empty lines and the line ends of Windows', async () => {
    await write('dags', '\r\n{"a":1}\r\n\r\n{"b":2}\r\n')
    expect(await readRows(folder, 'dags')).toEqual([{ a: 1 }, { b: 2 }])
  })

  it('an error names the line as an editor counts it, empty ones included', async () => {
    await write('queries', '\n\n{"id":"q","query":"x","gold":[]}\n\n{"id":"q"}\n')
    await expect(readQueries(folder)).rejects.toThrow('queries.jsonl:5: expected "gold"')
    await write('tools', '\n{"id":"t"}\n[1]\n')
    await expect(readToolSet(folder)).rejects.toThrow('tools.jsonl:3: expected one JSON object')
    await write('tools', '\n\n{"name":"x"}\n')
    await expect(readToolSet(folder)).rejects.toThrow('tools.jsonl:3: expected "id", a text')
  })

  it('that are not there are named, with what a set is', async () => {
    const error = await readToolSet(join(folder, 'absent')).catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(UsageError)
    expect((error as UsageError).message).toContain('tools.jsonl cannot be read: ENOENT.')
    expect((error as UsageError).hint).toContain('--set')
  })
})
