import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { StoreError } from '../errors.js'
import { formatToolId, type Tool } from '../model/tool.js'
import { readSnapshot, writeSnapshot } from './snapshot.js'
import type { Snapshot } from './store.js'

const empty: Snapshot = { tools: [], eras: {}, offers: {}, tried: [] }

describe('the snapshot', () => {
  let folder: string
  let directory: string

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'pml-snapshot-'))
    directory = join(folder, 'data')
  })

  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  it('comes back as it was written, readable by its owner alone', async () => {
    const snapshot = aSnapshot('read\u0000\ud800')
    await writeSnapshot(directory, snapshot)
    expect(readSnapshot(directory)).toStrictEqual(snapshot)
    expect(readdirSync(directory)).toEqual(['snapshot.json'])
    expect(statSync(join(directory, 'snapshot.json')).mode & 0o777).toBe(0o600)
    expect(statSync(directory).mode & 0o777).toBe(0o700)
  })

  it('is empty where there is none', () => {
    expect(readSnapshot(directory)).toEqual(empty)
    mkdirSync(join(directory, 'snapshot.json'), { recursive: true })
    expect(readSnapshot(directory)).toEqual(empty)
  })

  it('is empty where the file was cut off anywhere', async () => {
    await writeSnapshot(directory, aSnapshot('read'))
    const whole = readFileSync(join(directory, 'snapshot.json'), 'utf8')
    for (let length = 0; length < whole.length; length++) {
      writeFileSync(join(directory, 'snapshot.json'), whole.slice(0, length))
      expect(readSnapshot(directory)).toEqual(empty)
    }
  })

  it('is empty where a field is gone or is something else', async () => {
    await writeSnapshot(directory, aSnapshot('read'))
    const whole = readFileSync(join(directory, 'snapshot.json'), 'utf8')
    const paths = [
      'version',
      'tools',
      'eras',
      'eras.fs',
      'offers.fs',
      'offers.fs.prompts',
      'eras.git.discover',
      'eras.git.kind',
      'tools.0',
    ]
    const toolPaths = [
      'id',
      'server',
      'name',
      'definition',
      'definition.name',
      'definition.inputSchema',
      'hash',
    ]
    const pinPaths = [
      'tokens',
      'listed',
      'flags',
      'flags.0',
      'changed',
      'changed.definition',
      'changed.hash',
      'changed.seenAt',
    ]
    for (const path of [...paths, ...[...toolPaths, ...pinPaths].map((path) => `tools.0.${path}`)]) {
      for (const value of [null, [[7]]]) {
        const data = JSON.parse(whole)
        setField(data, path.split('.'), value)
        writeFileSync(join(directory, 'snapshot.json'), JSON.stringify(data))
        expect(readSnapshot(directory), `${path} = ${JSON.stringify(value)}`).toEqual(empty)
      }
    }
  })

  it('of many writes at once, the last one asked stays', async () => {
    const snapshots = Array.from({ length: 20 }, (_, index) => aSnapshot(`tool${index}`))
    await Promise.all(snapshots.map((snapshot) => writeSnapshot(directory, snapshot)))
    expect(readSnapshot(directory)).toStrictEqual(snapshots.at(-1))
    expect(readdirSync(directory)).toEqual(['snapshot.json'])
  })

  it('a write that fails is a StoreError and leaves the old one', async () => {
    await writeSnapshot(directory, aSnapshot('read'))
    const circular: Record<string, unknown> = {}
    circular.self = circular
    const bad = {
      ...aSnapshot('bad'),
      eras: { fs: { kind: 'modern', discover: circular as never } },
      tried: [],
    } as const
    await expect(writeSnapshot(directory, bad)).rejects.toBeInstanceOf(StoreError)
    expect(readSnapshot(directory)).toStrictEqual(aSnapshot('read'))
    writeFileSync(join(folder, 'file'), '')
    await expect(writeSnapshot(join(folder, 'file', 'data'), aSnapshot('read'))).rejects.toBeInstanceOf(
      StoreError,
    )
  })
})

function aSnapshot(name: string): Snapshot {
  const definition = { name, inputSchema: { type: 'object' }, 'x-unknown': [1] }
  const tool: Tool = {
    id: formatToolId('fs', name),
    server: 'fs',
    name,
    definition,
    hash: 'h',
    tokens: 3,
    listed: true,
    changed: { definition, hash: 'h2', seenAt: 5 },
    flags: ['ansi'],
  }
  return {
    tools: [tool],
    eras: { fs: { kind: 'legacy' }, git: { kind: 'modern', discover: { a: 1 } } },
    offers: { fs: { resources: [{ uri: 'a:b' }], templates: [], prompts: [{ name: 'p' }] } },
    tried: ['fs', 'git', 'hanging'],
  }
}

function setField(data: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [first, ...rest] = path
  if (rest.length === 0) data[first!] = value
  else setField(data[first!] as Record<string, unknown>, rest, value)
}
