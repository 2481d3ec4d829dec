import { expect, test } from 'vitest'
import { tellingLine } from './telling-line.js'

const nodeTrace = `node:internal/modules/cjs/loader:1228
  throw err;
  ^

Error: Cannot find module 'x'
Require stack:
- /home/ada/server.js
    at Module._resolveFilename (node:internal/modules/cjs/loader:1225:15)
    at node:internal/main/run_main_module:28:49 {
  code: 'MODULE_NOT_FOUND',
  requireStack: [ '/home/ada/server.js' ]
}

Node.js v20.20.2`

const pythonTrace = `Traceback (most recent call last):
  File "/home/ada/server.py", line 3, in <module>
    import mcp
ModuleNotFoundError: No module named 'mcp'`

test.each([
  ['a stack trace of Node', nodeTrace, "Error: Cannot find module 'x'"],
  ['one of Python', pythonTrace, "ModuleNotFoundError: No module named 'mcp'"],
  ['a panic of Go', 'goroutine 1 [running]:\npanic: no token\n\tmain.go:3', 'panic: no token'],
  [
    'an error with a code',
    'TypeError [ERR_INVALID_ARG_TYPE]: The "path" argument\n    at x (y:1:2)\n\nNode.js v20',
    'TypeError [ERR_INVALID_ARG_TYPE]: The "path" argument',
  ],
  [
    'npm',
    'npm error code EJSONPARSE\nnpm error JSON.parse Unexpected end\nnpm error A complete log of this run can be found in: /x.log',
    'npm error JSON.parse Unexpected end',
  ],
  ['a program that says what it wants', 'Starting...\nGITHUB_TOKEN is not set\n', 'GITHUB_TOKEN is not set'],
  ['colours', '\u001b[31merror: no such option --x\u001b[0m\nusage: y', 'error: no such option --x'],
  [
    'a tag before the words',
    '[Redis Fatal] no Redis\n    at async runServer (x:1:2)\n[]\n',
    '[Redis Fatal] no Redis',
  ],
  ['nothing but frames', '    at a (b:1:2)', 'at a (b:1:2)'],
  ['nothing', ' \n', ''],
])('of %s', (_, text, line) => {
  expect(tellingLine(text)).toBe(line)
})

test('a line without end is cut', () => {
  expect(tellingLine('x'.repeat(5000))).toHaveLength(300)
})
