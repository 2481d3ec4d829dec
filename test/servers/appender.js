// A server whose calls have an effect that outlives it: `append` writes its text as a line to the file named first on
// the command line, and answers `ms` later; `pid` tells which process this is.
import { appendFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { objectSchema, serveRaw, textResult } from './raw-server.js'

serveRaw({
  name: 'appender',
  tools: () => [
    {
      name: 'append',
      description: 'Appends a line.',
      inputSchema: objectSchema({ text: { type: 'string' }, ms: { type: 'number' } }, ['text']),
    },
    { name: 'pid', description: 'Tells its process.', inputSchema: objectSchema() },
  ],
  call: async ({ name, arguments: args }) => {
    if (name === 'pid') return textResult(String(process.pid))
    appendFileSync(process.argv[2], `${args.text}\n`)
    await wait(args.ms ?? 0)
    return textResult(`appended ${args.text}`)
  },
})
