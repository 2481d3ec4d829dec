import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client'
import { describe, expect, test } from 'vitest'
import { fixture, httpServer } from '../../test/servers/fixtures.js'
import { createRedact } from '../model/redact.js'
import { classifyTrouble, toRefusal, toUpstreamError } from './classify-trouble.js'

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
      'Install Node, which brings node, npm and npx',
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

  test('a command that is nowhere tells where it was looked for, a missing folder is told as that', () => {
    const missing = (server: typeof local) =>
      classifyTrouble(spawnError('ENOENT'), { server, searched: ['PATH', 'the usual folders'], redact })
    expect(missing(local).message).toBe('npx was not found: not on PATH or in the usual folders.')
    expect(missing({ ...local, cwd: '/no/such/folder' })).toMatchObject({
      message: 'its working directory /no/such/folder does not exist.',
      hint: 'Make it, or correct cwd.',
    })
    expect(missing({ ...local, command: '/no/such/program' }).message).toBe(
      'there is no program /no/such/program.',
    )
    expect(missing({ ...local, command: 'npx -y thing' }).hint).toContain('["npx","-y","thing"]')
  })

  test('a stack trace is told by its one line, and kept whole beside it', () => {
    const stderr =
      "node:internal\n  throw err;\n\nError: Cannot find module 'x'\n    at a (b:1:2)\n\nNode.js v20"
    const exit = { code: 1, signal: null } as const
    expect(classifyTrouble(new Error('x'), { server: local, exit, stderr, redact })).toMatchObject({
      message: "Error: Cannot find module 'x' (the process exited with code 1)",
      detail: stderr,
    })
  })

  test('a launcher in trouble is told as that, also when it only takes too long', () => {
    const stderr = 'npm error code EAI_AGAIN'
    const exit = { code: 1, signal: null } as const
    for (const how of [{ exit }, { timedOutAfterMs: 5 }]) {
      expect(classifyTrouble(new Error('x'), { server: local, ...how, stderr, redact })).toMatchObject({
        kind: 'offline',
        message: 'npx cannot reach the npm registry.',
        detail: stderr,
      })
    }
  })

  test('a process that ended tells its signal and its last words', () => {
    const exit = { code: null, signal: 'SIGSEGV' } as const
    const { message } = classifyTrouble(new Error('x'), {
      server: local,
      exit,
      stderr: 'core dumped',
      redact,
    })
    expect(message).toBe('core dumped (the process was ended by SIGSEGV)')
  })

  test.each([
    [null, -32603, 'The server gave no reason.', undefined],
    [{ code: 'x', message: 5, data: [1] }, -32603, 'The server gave no reason.', [1]],
    [{ code: -1, message: 'no', data: JSON.parse('['.repeat(9999) + ']'.repeat(9999)) }, -1, 'no', undefined],
  ])('a refusal of any shape is taken: %#', (sent, rpcCode, message, data) => {
    const refusal = toRefusal(sent, { server: 'echo', redact })
    expect([refusal.rpcCode, refusal.message, refusal.data]).toEqual([rpcCode, message, data])
  })

  test('what a caller gets of it holds no secret, in its hint neither', () => {
    const server = httpServer('https://mcp.example.test/mcp?key=s3cret-key')
    const hides = createRedact(['s3cret-key'])
    const errors = [
      toUpstreamError(new SdkError(SdkErrorCode.RequestTimeout, 'late'), { server, redact: hides }),
      toUpstreamError(http(404), { server, redact: hides }),
      toUpstreamError(new ProtocolError(-32000, 'no s3cret-key', { key: 's3cret-key' }), {
        server,
        redact: hides,
      }),
    ]
    for (const error of errors) {
      expect(JSON.stringify([error.message, error.hint, error])).not.toContain('s3cret-key')
    }
    expect(errors[0]?.hint).toContain('[redacted]')
  })
})
