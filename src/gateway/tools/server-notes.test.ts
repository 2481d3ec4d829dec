import { expect, it } from 'vitest'
import { makeServer } from '../test-gateway.contract.js'
import { describeNotes, serverNotes } from './server-notes.js'

it('a server that is loading is told with what it does, one that is down with what to do', () => {
  const launcher = { program: 'npx', target: '@scope/server' }
  const notes = serverNotes([
    makeServer('ready'),
    makeServer('cold', { status: 'connecting', start: { since: Date.now() - 14_500, launcher } }),
    makeServer('later', { status: 'waiting', start: { since: Date.now(), ahead: 3 } }),
    makeServer('unasked', { status: 'waiting' }),
    makeServer('gone', {
      status: 'down',
      trouble: { kind: 'exit', message: 'It died.', hint: 'Mend it.', at: 0 },
    }),
  ])
  expect(notes.map(({ name, status }) => `${name} ${status}`)).toEqual([
    'cold loading',
    'later loading',
    'unasked loading',
    'gone down',
  ])
  expect(describeNotes(notes)).toMatch(
    /^cold is loading \(npx is starting @scope\/server, \d+ s; a first start downloads it\); later is loading \(waits for its turn, \d+ s; 3 servers start before it\); unasked is loading; gone is down: It died\. Mend it\.$/,
  )
})
