import { expect, test } from 'vitest'
import { describeStart } from './describe-start.js'

const launcher = { program: 'npx', target: '@scope/server' }

test.each([
  [{ since: 0, launcher }, 'npx is starting @scope/server, 14 s; a first start downloads it'],
  [{ since: 0, launcher: { program: 'docker' } }, 'docker is starting, 14 s; a first start downloads it'],
  [{ since: 0 }, 'starting, 14 s'],
  [{ since: 0, ahead: 3 }, 'waits for its turn, 14 s; 3 servers start before it'],
  [{ since: 0, ahead: 1, launcher }, 'waits for its turn, 14 s; 1 server starts before it'],
  [{ since: 0, ahead: 0 }, 'waits for its turn, 14 s; it is next'],
  [{ since: -180_000 }, 'starting, 3 min'],
  [{ since: 99_000 }, 'starting, 0 s'],
])('%j reads as "%s"', (start, text) => {
  expect(describeStart({ start, status: 'connecting' }, 14_900)).toBe(text)
})

test('a server that is up, or not tried now, is not starting', () => {
  expect(describeStart({ start: { since: 0 }, status: 'ready' }, 1)).toBeUndefined()
  expect(describeStart({ status: 'down' }, 1)).toBeUndefined()
})
