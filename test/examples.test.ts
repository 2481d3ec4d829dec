/** Every example is a test of its own: it says "ok" at the end, or what was expected. */
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { root } from './harness.js'

const examples = join(root, 'examples')
const stories = readdirSync(examples, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)

/** Each starts a dozen processes, and a new database. */
const limitMs = 280_000

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pml-examples-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))

it.each(stories)('%s says ok, and leaves nothing behind', { timeout: limitMs + 20_000 }, async (story) => {
  const { stdout } = await promisify(execFile)(process.execPath, [join(examples, story, 'main.js')], {
    env: { ...process.env, TMPDIR: folder, TEMP: folder, TMP: folder },
    timeout: limitMs,
  })
  expect(stdout.trimEnd().split('\n').at(-1)).toBe('ok')
  expect(readdirSync(folder)).toEqual([])
})

it('each has a page of its own, and a line in the table', () => {
  const table = readFileSync(join(examples, 'README.md'), 'utf8')
  expect(stories.length).toBeGreaterThan(0)
  for (const story of stories) {
    expect(existsSync(join(examples, story, 'README.md')), story).toBe(true)
    expect(table).toContain(`[${story}](${story}/README.md)`)
  }
})
