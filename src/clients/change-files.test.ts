import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ChangedMeanwhileError, HalfDoneError } from '../errors.js'
import { changeFiles } from './change-files.js'
import { undoChanges } from './undo-changes.js'

let folder: string
let backups: string
let clock: number
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pml-changes-'))
  backups = join(folder, 'home', 'init-backups')
  clock = Date.UTC(2026, 0, 1)
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const place = (name: string) => join(folder, name)
const now = () => new Date(clock++)
const change = (name: string, before: string | undefined, after: string) =>
  changeFiles([{ file: place(name), before, after }], { backups, now: now() })
const undo = (options: { force?: boolean; dryRun?: boolean } = {}) =>
  undoChanges({ backups, now: now(), force: options.force ?? false, dryRun: options.dryRun ?? false })
const results = async (options?: Parameters<typeof undo>[0]) =>
  (await undo(options))?.files.map(({ result }) => result)
const text = (name: string) => readFileSync(place(name), 'utf8')
const mode = (path: string) => statSync(path).mode & 0o777

function write(name: string, content: string, permissions = 0o644): void {
  writeFileSync(place(name), content)
  chmodSync(place(name), permissions)
}

describe('changing', () => {
  it('copies what was there first, for its owner alone, and names it in a manifest', async () => {
    write('a.json', '\ufeff{}\r\n', 0o640)
    const backup = await changeFiles(
      [
        { file: place('a.json'), before: '\ufeff{}\r\n', after: '{"a":1}' },
        { file: place('new.yaml'), before: undefined, after: 'servers:\n' },
      ],
      { backups, now: now() },
    )
    expect(mode(backup)).toBe(0o700)
    for (const name of readdirSync(backup)) expect(mode(join(backup, name))).toBe(0o600)
    expect(readFileSync(join(backup, '01-a.json'), 'utf8')).toBe('\ufeff{}\r\n')
    expect(JSON.parse(readFileSync(join(backup, 'manifest.json'), 'utf8'))).toMatchObject({
      version: 1,
      files: [
        { path: place('a.json'), existed: true, mode: 0o640, backup: '01-a.json' },
        { path: place('new.yaml'), existed: false },
      ],
    })
    expect(text('a.json')).toBe('{"a":1}')
    expect(mode(place('a.json'))).toBe(0o640)
    expect(mode(place('new.yaml'))).toBe(0o600)
  })

  it('writes over nothing that changed since it was read', async () => {
    write('a.json', 'newer')
    await expect(change('a.json', 'older', 'mine')).rejects.toThrow(ChangedMeanwhileError)
    await expect(change('a.json', undefined, 'mine')).rejects.toThrow(ChangedMeanwhileError)
    expect(text('a.json')).toBe('newer')
    expect(await undo()).toBeUndefined()
  })

  it.skipIf(process.getuid?.() === 0)('says what it changed when it fails half way', async () => {
    write('a.json', 'a')
    mkdirSync(place('locked'))
    write('locked/b.json', 'b')
    chmodSync(place('locked'), 0o500)
    const half = changeFiles(
      [
        { file: place('a.json'), before: 'a', after: 'A' },
        { file: place('locked/b.json'), before: 'b', after: 'B' },
      ],
      { backups, now: now() },
    )
    await expect(half).rejects.toThrow(HalfDoneError)
    await expect(half).rejects.toMatchObject({
      changed: [place('a.json')],
      hint: expect.stringContaining('--undo'),
    })
    chmodSync(place('locked'), 0o700)
    expect(await results()).toEqual(['unchanged', 'restored'])
  })

  it('a linked file stays a link', async () => {
    write('real.json', 'a')
    symlinkSync(place('real.json'), place('link.json'))
    await change('link.json', 'a', 'b')
    expect(lstatSync(place('link.json')).isSymbolicLink()).toBe(true)
    expect(text('real.json')).toBe('b')
    await undo()
    expect(lstatSync(place('link.json')).isSymbolicLink()).toBe(true)
    expect(text('real.json')).toBe('a')
  })

  it('two at the same moment have folders of their own', async () => {
    const same = new Date(clock)
    for (const name of ['a', 'b'])
      await changeFiles([{ file: place(name), before: undefined, after: name }], { backups, now: same })
    expect(readdirSync(backups)).toHaveLength(2)
  })
})

describe('taking back', () => {
  it('restores bytes and modes, and removes what was not there', async () => {
    write('a.json', 'a\r\n', 0o600)
    await changeFiles(
      [
        { file: place('a.json'), before: 'a\r\n', after: 'b' },
        { file: place('new.yaml'), before: undefined, after: 'x' },
      ],
      { backups, now: now() },
    )
    chmodSync(place('a.json'), 0o644)
    expect(await results({ dryRun: true })).toEqual(['removed', 'restored'])
    expect(text('a.json')).toBe('b')
    expect(await results()).toEqual(['removed', 'restored'])
    expect(text('a.json')).toBe('a\r\n')
    expect(mode(place('a.json'))).toBe(0o600)
    expect(existsSync(place('new.yaml'))).toBe(false)
    expect(await undo()).toBeUndefined()
  })

  it('goes back one change at a time', async () => {
    write('a.json', '1')
    await change('a.json', '1', '2')
    await change('a.json', '2', '3')
    await undo()
    expect(text('a.json')).toBe('2')
    await undo()
    expect(text('a.json')).toBe('1')
    expect(await undo()).toBeUndefined()
    expect(readdirSync(backups)).toHaveLength(2)
  })

  it('leaves alone what was changed since, until told otherwise, and then keeps a copy of it', async () => {
    write('a.json', 'a')
    write('b.json', 'b')
    const backup = await changeFiles(
      [
        { file: place('a.json'), before: 'a', after: 'A' },
        { file: place('b.json'), before: 'b', after: 'B' },
      ],
      { backups, now: now() },
    )
    write('a.json', 'my own')
    expect(await undo()).toMatchObject({
      files: [
        { path: place('b.json'), result: 'restored' },
        { path: place('a.json'), result: 'changed', backup: join(backup, '01-a.json') },
      ],
    })
    expect(text('a.json')).toBe('my own')
    expect(await results({ force: true })).toEqual(['unchanged', 'restored'])
    expect(text('a.json')).toBe('a')
    const kept = readdirSync(backup).find((name) => name.startsWith('since-'))!
    expect(readFileSync(join(backup, kept), 'utf8')).toBe('my own')
    expect(await undo()).toBeUndefined()
  })

  it('a change that died after its first file is taken back as far as it went', async () => {
    write('a.json', 'a')
    write('b.json', 'b')
    await changeFiles(
      [
        { file: place('a.json'), before: 'a', after: 'A' },
        { file: place('b.json'), before: 'b', after: 'B' },
      ],
      { backups, now: now() },
    )
    write('b.json', 'b')
    expect(await results()).toEqual(['unchanged', 'restored'])
    expect(text('a.json')).toBe('a')
  })

  it('a folder without a manifest, or with a broken one, changed nothing', async () => {
    write('a.json', 'a')
    await change('a.json', 'a', 'b')
    mkdirSync(join(backups, '2099-01-01'))
    mkdirSync(join(backups, '2099-01-02'))
    writeFileSync(join(backups, '2099-01-02', 'manifest.json'), '{"files"')
    expect(await results()).toEqual(['restored'])
  })
})
