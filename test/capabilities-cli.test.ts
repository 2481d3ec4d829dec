/** Procedures by the command line: made, run, changed, and carried to another machine; each command a process of its own. */
import { existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type House, npmServer, openHouse } from './harness.js'

let directory: string
let house: House
let other: House

const open = (): House => openHouse({ files: npmServer('filesystem', directory) })

beforeEach(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), 'pml-capabilities-')))
  writeFileSync(join(directory, 'a.txt'), 'one\ntwo\nthree\n')
  writeFileSync(join(directory, 'b.txt'), 'four\n')
  house = open()
  other = open()
})
afterEach(async () => {
  await Promise.all([house.close(), other.close()])
  rmSync(directory, { recursive: true, force: true })
})

const counting = `const { content } = await tools.files.read_text_file({ path: args.path })
return content.trim().split('\\n').length`
const counted = (file: string) => `path=${join(directory, file)}`

function capabilities(where: House) {
  return async (...args: string[]) => {
    const { code, stdout, stderr } = await where.pml('capabilities', ...args, '--config', where.config)
    return { code, stdout, stderr, all: `${code}\n${stdout}\n${stderr}` }
  }
}

/** The value of the one task of a run. */
function resultOf(run: { readonly stdout: string; readonly all: string }): unknown {
  const { status, tasks } = JSON.parse(run.stdout)
  expect(status, run.all).toBe('complete')
  return tasks[0].result
}

test('a procedure is made, listed, shown, run, renamed, carried to another home, run there, and forgotten', async () => {
  const pml = capabilities(house)
  const gateway = await house.http()
  await other.http()
  const file = join(house.home, 'count.ts')
  writeFileSync(file, counting)
  expect((await pml()).stdout).toContain('There are none yet.')

  const created = await pml('create', file, '--name', 'count_lines', '--intent', 'how many lines has a file')
  expect(created.stdout, created.all).toMatch(
    /^count_lines is there: cap:count-lines-[0-9a-f]{6}\. It takes path, and may be given split\./,
  )
  expect((await pml('create', file, '--name', 'again')).stdout).toContain('is there already: count_lines')

  const listed = await pml('list')
  expect(listed.stdout, listed.all).toMatch(
    /count_lines +cap:count-lines-\w+ +0 +safe +never +files:read_text_file/,
  )

  expect(resultOf(await pml('run', 'count_lines', '--arg', counted('a.txt'), '--json'))).toBe(3)
  // What was learned by one gateway is there in the next.
  await gateway.close()
  await house.http()
  expect(resultOf(await pml('run', 'countLines', counted('b.txt'), '--json'))).toBe(1)
  const failed = await pml('run', 'count_lines', '--arguments', '{"path": 5}')
  expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining('/path: must be string') })

  const renamed = await pml('rename', 'count_lines', 'line_count', '--description', 'Counts lines.')
  expect(renamed.stdout, renamed.all).toContain('is line_count now: Counts lines.')

  const shown = await pml('show', 'line_count')
  expect(shown.code, shown.all).toBe(0)
  for (const told of [
    'Counts lines.',
    'how many lines has a file',
    '1  const { content } = await',
    'used 2 times, 2 with success',
  ])
    expect(shown.stdout).toContain(told)
  expect(shown.stdout).toMatch(/1 {2}c1 {2}files:read_text_file\n +path {2}args\.path/)
  expect(shown.stdout).toMatch(/files:read_text_file +safe/)

  const carried = join(house.home, 'team.json')
  expect((await pml('export', '--out', carried)).stdout).toContain('1 procedure (line_count)')
  expect(await pml('export', '--out', carried)).toMatchObject({ code: 2 })

  const there = capabilities(other)
  const asked = await there('import', carried)
  expect(asked, asked.all).toMatchObject({ code: 2, stderr: expect.stringContaining('Say it with: --yes') })
  expect(asked.stdout).toContain('| return content.trim()')
  expect(JSON.parse((await there('list', '--json')).stdout).capabilities).toEqual([])
  const taken = await there('import', carried, '--yes')
  expect(taken, taken.all).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('Added 1 procedure: line_count.'),
  })
  expect((await there('import', carried, '--yes')).stdout).toContain('line_count is there already.')
  expect(resultOf(await there('run', 'line_count', counted('a.txt'), '--json'))).toBe(3)

  expect(await pml('forget', 'line_count')).toMatchObject({ code: 2 })
  expect((await pml('forget', 'line_count', '--yes')).stdout).toContain('Forgot line_count.')
  expect(await pml('show', 'line_count')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('No capability "line_count"'),
  })
  expect((await there()).stdout).toContain('line_count')
}, 180_000)

test('what is dangerous in it waits for a person', async () => {
  const pml = capabilities(house)
  await house.http()
  const file = join(house.home, 'move.ts')
  writeFileSync(file, 'return await tools.files.move_file({ source: args.from, destination: args.to })')
  await pml('create', file, '--name', 'move_it')
  expect(JSON.parse((await pml('show', 'move_it', '--json')).stdout)).toMatchObject({ risk: 'dangerous' })
  const words = [`from=${join(directory, 'a.txt')}`, `to=${join(directory, 'c.txt')}`]
  const waiting = await pml('run', 'move_it', ...words)
  expect(waiting, waiting.all).toMatchObject({ code: 3, stdout: expect.stringContaining('pml approve') })
  expect(existsSync(join(directory, 'c.txt'))).toBe(false)
  const approved = await pml('run', 'move_it', ...words, '--yes')
  expect(approved.code, approved.all).toBe(0)
  expect(existsSync(join(directory, 'c.txt'))).toBe(true)
}, 180_000)
