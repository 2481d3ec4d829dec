import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fixturePath, isAlive, waitFor } from '../../test/servers/fixtures.js'

const root = fileURLToPath(new URL('../../', import.meta.url))
/** Within the repository, so that packages are found from there. */
const built = `${root}node_modules/.cache/pml-crash-test`

beforeAll(() => {
  const flags = '--module nodenext --target es2023 --rootDir src --types node --skipLibCheck --strict'.split(
    ' ',
  )
  const tsc = `${root}node_modules/typescript/bin/tsc`
  execFileSync(
    process.execPath,
    [tsc, ...flags, '--ignoreConfig', '--outDir', built, 'src/upstream/open-upstreams.ts'],
    {
      cwd: root,
      stdio: 'inherit',
    },
  )
})
afterAll(() => rmSync(built, { recursive: true, force: true }))

/** The server's pid, and the process that holds it. */
async function startParent(fixture: string, how: 'exits' | 'stays') {
  const script = `${built}/upstream/open-upstreams.js`
  const parent = spawn(process.execPath, [fixturePath('crash-parent'), script, fixture, how], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(parent.stdout, 'data')) as [Buffer]
  return { parent, pid: Number(line.toString()) }
}

test('a gateway that is killed leaves no server behind: they see the end of their input', async () => {
  const { parent, pid } = await startParent('echo', 'stays')
  expect(isAlive(pid)).toBe(true)
  parent.kill('SIGKILL')
  await waitFor(() => !isAlive(pid), 3000)
})

test('a gateway that exits without closing takes even a stubborn server with it', async () => {
  const { parent, pid } = await startParent('stubborn', 'exits')
  await once(parent, 'exit')
  await waitFor(() => !isAlive(pid), 3000)
})
