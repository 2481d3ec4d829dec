import { describe, expect, it } from 'vitest'
import { diffPermissions } from './diff-permissions.js'
import {
  noPermissions,
  type Permissions,
  type ServerPermissions,
  type ToolPermission,
} from './permissions.js'

const server = (a: ServerPermissions): Permissions => ({ servers: { a }, toolOverrides: {} })
const tool = (permission: ToolPermission): Permissions => ({
  servers: {},
  toolOverrides: { 'a:x': permission },
})
const rates = (risk: ToolPermission['risk']): Permissions => tool({ risk })

describe('what allows more than before is an escalation', () => {
  it.each<[boolean, string, Permissions, Permissions]>([
    [true, 'a server that only reads', noPermissions, server({ isReadOnly: true })],
    [false, 'one that does no more', server({ isReadOnly: true }), noPermissions],
    [true, 'a set that is safe', noPermissions, server({ permissionSet: 'readonly' })],
    [true, 'from trusted to none', server({ permissionSet: 'trusted' }), noPermissions],
    [
      false,
      'a set that asks more',
      server({ permissionSet: 'minimal' }),
      server({ permissionSet: 'trusted' }),
    ],
    [false, 'a set that asks the same', noPermissions, server({ permissionSet: 'filesystem' })],
    [true, 'a lower risk', rates('dangerous'), rates('moderate')],
    [false, 'a higher one', rates('safe'), rates('moderate')],
    [true, 'a tool that may have been dangerous', noPermissions, rates('moderate')],
    [false, 'a tool that is dangerous now', noPermissions, rates('dangerous')],
    [true, 'what may be safe without its entry', rates('moderate'), noPermissions],
    [false, 'what cannot be safer without it', rates('safe'), noPermissions],
    [false, 'another reason', rates('safe'), tool({ risk: 'safe', reason: 'x' })],
  ])('%s: %s', (isEscalation, _, before, after) => {
    expect(diffPermissions(before, after)).toMatchObject([{ what: 'permissions-file', isEscalation }])
  })
})

it('the same content changes nothing', () => {
  const full: Permissions = {
    servers: { a: { isReadOnly: false, permissionSet: 'minimal' } },
    toolOverrides: { 'a:x': { risk: 'safe', reason: 'r' } },
  }
  expect(diffPermissions(full, structuredClone(full))).toEqual([])
  expect(diffPermissions(noPermissions, server({ isReadOnly: false }))).toEqual([])
})

it('each change names what it is about, before and after', () => {
  const after: Permissions = {
    servers: { a: { isReadOnly: true, permissionSet: 'minimal' } },
    toolOverrides: { 'b:x': { risk: 'safe', reason: 'reads' } },
  }
  expect(
    diffPermissions(noPermissions, after).map(({ subject, before, after }) => [subject, before, after]),
  ).toEqual([
    ['a:*', 'isReadOnly: false', 'isReadOnly: true'],
    ['a:*', 'permissionSet: none', 'permissionSet: minimal'],
    ['b:x', 'as rated', 'safe'],
  ])
})
