import { expect, test } from 'vitest'
import { fixture } from '../../test/servers/fixtures.js'
import { launcherTrouble } from './launcher-trouble.js'

const of = (command: string, args: readonly string[], stderr: string) =>
  launcherTrouble(fixture('echo', { command, args }), stderr)

test.each([
  [
    'npx',
    ['-y', '@scope/none'],
    'npm error code E404\nnpm error 404 Not Found - GET https://registry.example/@scope%2fnone - Not found',
    'exit',
    'npx cannot find @scope/none',
    'Correct the name @scope/none in args.',
  ],
  [
    'npx',
    ['-y', 'server'],
    'npm error code EAI_AGAIN\nnpm error request to https://registry.example/server failed, reason: getaddrinfo EAI_AGAIN',
    'offline',
    'npx cannot reach the npm registry.',
    'network',
  ],
  [
    'npx',
    ['-y', 'server@99'],
    'npm error code ETARGET\nnpm error notarget No matching version found for server@99.',
    'exit',
    'no such version',
    'server@99',
  ],
  ['npx', ['left-pad'], 'npm error could not determine executable to run', 'exit', 'no program', 'left-pad'],
  [
    'npx',
    ['@corp/x'],
    'npm error code E401\nnpm error Incorrect or missing password.',
    'exit',
    'sign-in',
    'npm login',
  ],
  [
    'bunx',
    ['none-such'],
    'error: GET https://registry.example/none-such - 404',
    'exit',
    'bunx cannot find none-such',
    'none-such',
  ],
  [
    'uvx',
    ['none-such'],
    '  × No solution found when resolving tool dependencies:\n  ╰─▶ Because none-such was not found in the package registry',
    'exit',
    'uvx cannot find none-such',
    'none-such',
  ],
  [
    'uvx',
    ['mcp-server-git'],
    'error: Failed to fetch: `https://pypi.org/simple/mcp-server-git/`\n  Caused by: dns error: failed to lookup address',
    'offline',
    'package index',
    'network',
  ],
  [
    'docker',
    ['run', '-i', 'mcp/x'],
    'docker: Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?',
    'offline',
    'its daemon is not running',
    'Start Docker Desktop',
  ],
  [
    'docker',
    ['run', '-i', 'mcp/x'],
    'docker: permission denied while trying to connect to the Docker daemon socket at unix:///var/run/docker.sock',
    'exit',
    'may not use',
    'usermod',
  ],
  [
    'docker',
    ['run', '-i', 'mcp/none'],
    "Unable to find image 'mcp/none:latest' locally\ndocker: Error response from daemon: pull access denied for mcp/none, repository does not exist",
    'exit',
    'cannot find the image mcp/none',
    'mcp/none',
  ],
])('%s %j: what it says is understood', (command, args, stderr, kind, message, hint) => {
  expect(of(command, args, stderr)).toMatchObject({
    kind,
    message: expect.stringContaining(message),
    hint: expect.stringContaining(hint),
  })
})

test("a server's own words are not taken for its launcher's", () => {
  expect(of('npx', ['server'], 'Error: GITHUB_TOKEN is not set')).toBeUndefined()
  expect(of('node', ['server.js'], 'Error: connect ECONNREFUSED 127.0.0.1:5432')).toBeUndefined()
})
