import { expect, test } from 'vitest'
import { hasBrowser } from './open-browser.js'

test.each([
  ['linux', {}, false],
  ['linux', { DISPLAY: ':0' }, true],
  ['linux', { WAYLAND_DISPLAY: 'wayland-0' }, true],
  ['linux', { DISPLAY: ':10', SSH_CONNECTION: '10.0.0.1 5 10.0.0.2 22' }, false],
  ['darwin', {}, true],
  ['darwin', { SSH_TTY: '/dev/ttys001' }, false],
  ['win32', {}, true],
  ['win32', { CI: 'true' }, false],
] as const)('on %s with %j a browser would be seen: %s', (platform, env, seen) => {
  expect(hasBrowser(env, platform)).toBe(seen)
})
