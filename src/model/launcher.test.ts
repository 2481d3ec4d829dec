import { expect, test } from 'vitest'
import { launcherOf } from './launcher.js'

test.each([
  ['npx', ['-y', '@scope/server', '--flag'], 'npx', '@scope/server'],
  ['npx', ['-y', '-p', '@scope/server', 'run-it'], 'npx', '@scope/server'],
  ['npx', ['--package=@scope/server', 'run-it'], 'npx', '@scope/server'],
  ['/usr/local/bin/npx', ['--registry', 'https://r', 'server'], 'npx', 'server'],
  ['C:\\Program Files\\nodejs\\npx.cmd', ['server'], 'npx', 'server'],
  ['npm', ['exec', '--', 'server'], 'npm', 'server'],
  ['uvx', ['--python', '3.12', 'mcp-server-git'], 'uvx', 'mcp-server-git'],
  ['uvx', ['--from', 'git+https://x', 'serve'], 'uvx', 'git+https://x'],
  ['uv', ['tool', 'run', 'mcp-server-git'], 'uv', 'mcp-server-git'],
  ['pnpm', ['dlx', 'server'], 'pnpm', 'server'],
  ['bunx', ['server'], 'bunx', 'server'],
  ['docker', ['run', '-i', '--rm', '-e', 'TOKEN', '-v', '/a:/b', 'mcp/github', 'x'], 'docker', 'mcp/github'],
  ['npx', [], 'npx', undefined],
])('%s %j is a download by %s of %s', (command, args, program, target) => {
  expect(launcherOf(command, args)).toEqual(target === undefined ? { program } : { program, target })
})

test.each([
  ['node', ['server.js']],
  ['npm', ['start']],
  ['pnpm', ['exec', 'server']],
  ['uv', ['run', 'server.py']],
  ['docker', ['exec', '-i', 'box', 'server']],
  ['./npx-like', ['x']],
])('%s %j downloads nothing', (command, args) => {
  expect(launcherOf(command, args)).toBeUndefined()
})
