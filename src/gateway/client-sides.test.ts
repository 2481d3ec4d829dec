import { CLIENT_INFO_META_KEY, type Server } from '@modelcontextprotocol/server'
import { expect, it } from 'vitest'
import { clientNameOf } from './client-sides.js'

const server = (revision: string, info?: object): Server =>
  ({ getNegotiatedProtocolVersion: () => revision, getClientVersion: () => info }) as unknown as Server

it.each([
  ['claude-code', 'claude-code'],
  ['Some Client 2.0', 'Some Client 2.0'],
  ['', 'unknown client'],
  [undefined, 'unknown client'],
  [5, 'unknown client'],
  ['two\nlines', 'two'],
  ['turned\u202E', 'turned'],
  ['\u200B', 'unknown client'],
])('a client that calls itself %j is %s, in either era', (name, shown) => {
  expect(clientNameOf(server('2025-11-25', { name }), undefined)).toBe(shown)
  expect(clientNameOf(server('2026-07-28'), { [CLIENT_INFO_META_KEY]: { name } })).toBe(shown)
})

it('one that does not say is unknown, and a long name is cut', () => {
  expect(clientNameOf(server('2025-11-25'), undefined)).toBe('unknown client')
  expect(clientNameOf(server('2026-07-28'), {})).toBe('unknown client')
  expect(clientNameOf(server('2026-07-28'), undefined)).toBe('unknown client')
  expect(clientNameOf(server('2025-11-25', { name: 'x'.repeat(500) }), undefined)).toHaveLength(80)
})
