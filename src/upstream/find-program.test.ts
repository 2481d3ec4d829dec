import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { findProgram } from './find-program.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pml-find-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function program(name: string, mode = 0o755): string {
  const file = join(folder, name)
  writeFileSync(file, '')
  chmodSync(file, mode)
  return file
}

describe.skipIf(process.platform === 'win32')('a command is looked for as the system does it', () => {
  const find = (command: string, path = folder) => findProgram(command, { path, platform: 'linux' })

  test('in the folders of PATH, in their order', () => {
    mkdirSync(join(folder, 'first'))
    const first = program('first/tool')
    program('tool')
    expect(find('tool', `${folder}/none:${folder}/first:${folder}`)).toBe(first)
  })

  test('a file that may not be executed, and a folder, are no programs', () => {
    program('plain', 0o644)
    mkdirSync(join(folder, 'folder'))
    expect([find('plain'), find('folder'), find('none')]).toEqual([undefined, undefined, undefined])
  })

  test('a command with a folder in it is a place', () => {
    const file = program('tool')
    expect(find(file, '')).toBe(file)
    expect(find(`${folder}/none`, folder)).toBeUndefined()
  })

  test('a relative folder on PATH is left out: it means another place for every process', () => {
    expect(find('package.json', '.:src')).toBeUndefined()
  })
})
