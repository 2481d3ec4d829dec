import { mkdtempSync, realpathSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { call, callText, closeAll, fixture, startedUpstreams } from '../../test/servers/fixtures.js'

afterEach(closeAll)

const require = createRequire(import.meta.url)
const script = (name: string) =>
  join(dirname(require.resolve(`@modelcontextprotocol/server-${name}/package.json`)), 'dist', 'index.js')

test('the reference servers everything, filesystem and memory are listed and called', async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'pml-')))
  writeFileSync(join(folder, 'note.txt'), 'written before')
  const upstreams = await startedUpstreams([
    fixture('everything', { args: [script('everything')] }),
    fixture('filesystem', { args: [script('filesystem'), folder] }),
    fixture('memory', { args: [script('memory')], env: { MEMORY_FILE_PATH: join(folder, 'memory.json') } }),
  ])
  expect(upstreams.servers().map(({ name, status }) => [name, status])).toEqual([
    ['everything', 'ready'],
    ['filesystem', 'ready'],
    ['memory', 'ready'],
  ])
  expect(await callText(upstreams, 'everything:echo', { message: 'hi' })).toContain('hi')
  const path = join(folder, 'note.txt')
  expect(await callText(upstreams, 'filesystem:read_text_file', { path })).toBe('written before')
  expect(await call(upstreams, 'memory:read_graph')).toMatchObject({ content: [{ type: 'text' }] })
})
