import { SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client'
import { describe, expect, test } from 'vitest'
import { fixture, httpServer } from '../../test/servers/fixtures.js'
import { classifyTrouble } from './classify-trouble.js'

const redact = (text: string): string => text
const local = fixture('echo', { command: 'npx' })
const remote = httpServer('https://mcp.example.test/mcp')
const spawnError = (code: string) => Object.assign(new Error(`spawn npx ${code}`), { code })
const fetchError = (code: string) =>
  new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) })
const http = (status: number) =>
  new SdkHttpError(SdkErrorCode.ClientHttpNotImplemented, 'refused', { status, statusText: '', text: '' })

describe('trouble is named once', () => {
  test.each([
    [
      'a command that is not there',
      spawnError('ENOENT'),
      { server: local },
      'exit',
      'install Node or give the full path',
    ],
    ['a command that may not run', spawnError('EACCES'), { server: local }, 'exit', 'chmod +x npx'],
    [
      'a process that ended',
      new Error('closed'),
      { server: local, exit: { code: 1, signal: null } },
      'exit',
      'by hand',
    ],
    [
      'our own limit',
      new Error('closed'),
      { server: local, timedOutAfterMs: 60_000 },
      'timeout',
      'connectTimeoutMs',
    ],
    [
      'no answer',
      new SdkError(SdkErrorCode.RequestTimeout, 'late'),
      { server: remote },
      'timeout',
      'answers',
    ],
    ['nobody listening', fetchError('ECONNREFUSED'), { server: remote }, 'offline', 'Start it'],
    [
      'no such host',
      new Error('probe', { cause: fetchError('ENOTFOUND') }),
      { server: remote },
      'offline',
      'url',
    ],
    ['a bad certificate', fetchError('CERT_HAS_EXPIRED'), { server: remote }, 'offline', 'url'],
    ['no authorization', http(401), { server: remote }, 'auth', 'Set the header'],
    [
      'a refused token',
      http(403),
      { server: { ...remote, headers: { authorization: 'x' } } },
      'auth',
      'renew',
    ],
    ['a failing server', http(503), { server: remote }, 'offline', 'its side'],
    ['a wrong path', http(404), { server: remote }, 'protocol', '/mcp'],
    [
      'a lost connection',
      new SdkError(SdkErrorCode.ConnectionClosed, 'gone'),
      { server: remote },
      'offline',
      'again',
    ],
    [
      'an answer that is no answer',
      new SyntaxError('Unexpected token <'),
      { server: remote },
      'protocol',
      'MCP server',
    ],
  ] as const)('%s', (_, error, context, kind, hint) => {
    expect(classifyTrouble(error, { redact, ...context })).toMatchObject({
      kind,
      hint: expect.stringContaining(hint),
    })
  })

  test('a process that ended tells its signal and its last words', () => {
    const exit = { code: null, signal: 'SIGSEGV' } as const
    const { message } = classifyTrouble(new Error('x'), {
      server: local,
      exit,
      stderr: 'core dumped',
      redact,
    })
    expect(message).toBe('the process was ended by SIGSEGV. It last wrote: core dumped')
  })
})
