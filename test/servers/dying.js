// A server that exits in the middle of a call of `die` (code 3, last words on standard error); `live` answers.
import { objectSchema, serveRaw, textResult } from './raw-server.js'

serveRaw({
  name: 'dying',
  tools: () =>
    ['die', 'live'].map((name) => ({ name, description: `${name}.`, inputSchema: objectSchema() })),
  call: ({ name }) => {
    if (name === 'live') return textResult(`alive as ${process.pid}`)
    process.stderr.write('fatal: the disk is on fire\n')
    process.exitCode = 3
    setTimeout(() => process.exit(3), 30)
  },
})
