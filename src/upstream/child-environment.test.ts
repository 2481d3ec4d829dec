import { expect, test } from 'vitest'
import { childEnvironment } from './child-environment.js'

test('a child gets the completed PATH, unless its own is configured', () => {
  const ours = { PATH: '/usr/bin', HOME: '/home/ada', SECRET: 'x', LC_ALL: 'C' }
  const path = '/usr/bin:/home/ada/bin'
  expect(childEnvironment(ours, { configured: { KEY: '1' }, path, platform: 'linux' })).toEqual({
    PATH: path,
    HOME: '/home/ada',
    LC_ALL: 'C',
    KEY: '1',
  })
  expect(childEnvironment(ours, { configured: { PATH: '/own' }, path, platform: 'linux' }).PATH).toBe('/own')
})

test('on Windows there is one PATH, however it was written', () => {
  const ours = { Path: 'C:\\Windows', SystemRoot: 'C:\\Windows', SECRET: 'x' }
  expect(childEnvironment(ours, { configured: {}, path: 'C:\\Windows;C:\\node', platform: 'win32' })).toEqual(
    {
      PATH: 'C:\\Windows;C:\\node',
      SystemRoot: 'C:\\Windows',
    },
  )
})
