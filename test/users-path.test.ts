/** What users with a client that has a window run into: it starts us with another PATH than a terminal. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { dataOf, eventually, type House, openHouse, root } from './harness.js'

let house: House
afterEach(() => house.close())

/** As launchd gives it to programs on macOS. */
const bare = '/usr/bin:/bin:/usr/sbin:/sbin'

interface Status {
  readonly servers: readonly {
    readonly name: string
    readonly status: string
    readonly trouble?: { readonly message: string; readonly hint: string }
  }[]
}
const status = async (): Promise<Status> => JSON.parse((await house.pml('status', '--json')).stdout) as Status

/** An `uvx` that only files of the login shell know of: a script, as npx and many others are, that needs `node`. */
function installUvx(home: string): string {
  const folder = join(home, 'tools')
  mkdirSync(folder)
  const file = join(folder, 'uvx')
  writeFileSync(file, `#!/usr/bin/env node\nimport(${JSON.stringify(join(root, 'test/servers/echo.js'))})\n`)
  chmodSync(file, 0o755)
  writeFileSync(join(home, '.profile'), 'echo "Welcome back"\nexport PATH="$HOME/tools:$PATH"\n')
  return file
}

describe.skipIf(process.platform === 'win32')(
  'row 21: a client with a window starts us with a bare PATH',
  { timeout: 240_000 },
  () => {
    const open = () =>
      openHouse(
        { py: { command: 'uvx', args: ['mcp-server-anything'] } },
        { exposure: 'proxy', firstListWaitMs: 30_000 },
        { PATH: bare, SHELL: '/bin/sh' },
      )

    it('row 21: uvx is found by the PATH of the login shell, and its child finds node', async () => {
      house = open()
      const file = installUvx(house.home)
      const { client } = await house.stdio()
      await client.listTools()
      const env = dataOf<Record<string, string>>(await client.callTool({ name: 'py__env', arguments: {} }))
      expect(env.PATH?.split(':')).toEqual(expect.arrayContaining([dirname(file), dirname(process.execPath)]))
      const doctor = await house.pml('doctor', '--config', house.config)
      expect(doctor.stdout).toContain(`command of py: ${file}`)
      expect(doctor.stdout).toContain(`login shell: /bin/sh: has ${dirname(file)}`)
    })

    it('row 21: what is missing is said with where it was looked for and how to get it', async () => {
      house = open()
      await house.stdio()
      const down = await eventually(status, ({ servers }) => servers?.[0]?.status === 'down', 60_000)
      expect(down.servers[0]!.trouble).toMatchObject({
        message:
          'Server "py": uvx was not found: not on PATH, the PATH of the login shell or in the usual folders.',
        hint: expect.stringContaining('Install uv, which brings uv and uvx'),
      })
      const doctor = await house.pml('doctor', '--config', house.config)
      expect(doctor.code).toBe(1)
      expect(doctor.stdout).toContain('broken   command of py: uvx is neither on PATH')
      expect(doctor.stdout).toContain('fix: Install uv')
    })

    it('row 21: a shell that hangs keeps no other server from starting, and the gateway from ending', async () => {
      house = openHouse(
        {
          py: { command: 'uvx' },
          own: { command: process.execPath, args: [join(root, 'test/servers/echo.js')], env: { PATH: bare } },
        },
        { exposure: 'proxy', firstListWaitMs: 4000 },
        { PATH: bare, SHELL: '/bin/sh' },
      )
      writeFileSync(join(house.home, '.profile'), 'sleep 600\n')
      const { client, close } = await house.stdio()
      await eventually(
        async () =>
          (await client.listTools(undefined, { cacheMode: 'bypass' })).tools.map((tool) => tool.name),
        (names) => names.includes('own__echo'),
        30_000,
      )
      await close()
    })
  },
)
