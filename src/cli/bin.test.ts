import { execFile, spawn } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')
const { isBuilt, isInstalled } = await import(join(root, 'scripts/is-ready.js'))

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pml-bin-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function node(args: string[], env: NodeJS.ProcessEnv = {}) {
  return new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    const options = { cwd: folder, env: { PATH: process.env.PATH, PML_HOME: folder, ...env } }
    execFile(process.execPath, args, options, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    )
  })
}

function write(path: string, text = '', at?: number): string {
  const file = join(folder, path)
  mkdirSync(join(file, '..'), { recursive: true })
  writeFileSync(file, text)
  if (at !== undefined) utimesSync(file, at, at)
  return file
}

describe('bin/pml.js', () => {
  beforeEach(() => {
    cpSync(join(root, 'bin'), join(folder, 'bin'), { recursive: true })
    write('package.json', '{"type":"module"}')
  })

  it('says how to build what is not built', async () => {
    const { code, stderr } = await node(['bin/pml.js', 'status'])
    expect(code).toBe(1)
    expect(stderr).toContain('npm start')
    expect(stderr).not.toContain('    at ')
  })

  it('says how to install packages that are missing, and hides no other fault', async () => {
    write('dist/cli/main.js', "import 'citty'\nexport async function main() { return 0 }")
    const missing = await node(['bin/pml.js', 'status'])
    expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining('npm install') })
    expect(missing.stderr).not.toContain('    at ')
    write('dist/cli/main.js', "throw new TypeError('a fault of ours')")
    expect((await node(['bin/pml.js', 'status'])).stderr).toContain('TypeError: a fault of ours')
  })

  it('says when Node is too old', async () => {
    write('old.mjs', "Object.defineProperty(process.versions, 'node', { value: '18.2.0' })")
    const { code, stderr } = await node(['--import', './old.mjs', 'bin/pml.js'])
    expect(code).toBe(1)
    expect(stderr).toContain('needs Node 20.19 or later; this is 18.2.0')
  })

  it('hands over its arguments and gives the exit code', async () => {
    write('dist/cli/main.js', "export async function main(argv) { console.log(argv.join(' ')); return 7 }")
    expect(await node(['bin/pml.js', 'call', 'a=b'])).toEqual({ code: 7, stdout: 'call a=b\n', stderr: '' })
  })
})

describe.skipIf(!isBuilt(root))('the built command line', () => {
  const bin = join(root, 'bin/pml.js')

  it('answers, with exit codes a shell can use', async () => {
    expect((await node([bin, '--help'])).stdout).toContain('USAGE pml')
    expect(await node([bin, 'stauts'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('pml status'),
    })
  })

  it('adds and removes a server in a real file', async () => {
    await node([bin, 'add', 'x', '--', 'node', 'x.js'])
    expect((await node([bin, 'add', 'x', '--', 'node'])).stderr).toContain('has a server "x" already')
    expect((await node([bin, 'remove', 'x', '--json'])).stdout).toContain('"name": "x"')
  })

  it('a reader that goes away early is no error', async () => {
    const child = spawn(process.execPath, [bin, '--help'], { env: { ...process.env, PML_HOME: folder } })
    child.stdout.destroy()
    const stderr: string[] = []
    child.stderr.on('data', (chunk) => stderr.push(String(chunk)))
    expect(await new Promise((resolve) => child.once('close', resolve))).toBe(0)
    expect(stderr.join('')).toBe('')
  })

  it('works with HOME empty', async () => {
    expect((await node([bin, '--version'], { HOME: '', PML_HOME: '' })).code).toBe(0)
  })
})

it('pml serve loads neither zod nor yaml nor the MCP SDK before the gateway is asked for', () => {
  const loaded = new Set<string>()
  const packages = new Set<string>()
  follow(join(root, 'src/cli/main.ts'))
  follow(join(root, 'src/cli/commands/serve.ts'))
  expect([...packages]).toEqual(['citty'])
  expect(loaded.size).toBeLessThan(20)

  /** Static imports only: what is imported by a call is loaded when it is called. */
  function follow(file: string): void {
    if (loaded.has(file)) return
    loaded.add(file)
    const text = readFileSync(file, 'utf8')
    for (const [, from] of text.matchAll(/^import (?!type )[^'(]*'([^']+)'/gm)) {
      if (from!.startsWith('.')) follow(join(file, '..', from!.replace(/\.js$/, '.ts')))
      else if (!from!.startsWith('node:')) packages.add(from!)
    }
  }
})

describe('scripts/ready.js knows', () => {
  const lock = (version: string) =>
    JSON.stringify({
      packages: {
        '': {},
        'node_modules/a': { version, integrity: `sha-${version}` },
        'node_modules/other-platform': { version: '1.0.0', optional: true },
      },
    })

  it('what is installed from what the lock file asks for', () => {
    expect(isInstalled(folder)).toBe(false)
    write('package-lock.json', lock('1.0.0'))
    expect(isInstalled(folder)).toBe(false)
    write(
      'node_modules/.package-lock.json',
      JSON.stringify({ packages: { 'node_modules/a': { version: '1.0.0', integrity: 'sha-1.0.0' } } }),
    )
    expect(isInstalled(folder)).toBe(true)
    write('package-lock.json', lock('1.0.1'))
    expect(isInstalled(folder)).toBe(false)
  })

  it('what is built from the age of sources and outputs', () => {
    write('src/a/b.ts', '', 100)
    write('src/a/b.test.ts', '', 900)
    expect(isBuilt(folder)).toBe(false)
    write('dist/a/b.js', '', 200)
    expect(isBuilt(folder)).toBe(true)
    write('src/a/b.ts', '', 300)
    expect(isBuilt(folder)).toBe(false)
    write('dist/a/b.js', '', 400)
    write('src/new.ts', '', 100)
    expect(isBuilt(folder)).toBe(false)
  })
})

it('scripts need nothing but Node, and .ci/run is sound bash', async () => {
  for (const name of readdirSync(join(root, 'scripts'))) {
    const imports = [...readFileSync(join(root, 'scripts', name), 'utf8').matchAll(/from '([^']+)'/g)]
    for (const [, from] of imports) expect(from, name).toMatch(/^(?:node:|\.)/)
    expect(await node(['--check', join(root, 'scripts', name)])).toMatchObject({ code: 0 })
  }
  const code = await new Promise((resolve) =>
    execFile('bash', ['-n', join(root, '.ci/run')], (error) => resolve(error?.code ?? 0)),
  )
  expect(code).toBe(0)
})
