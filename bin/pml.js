#!/usr/bin/env node
// Kept to what an old Node can read, so that it can say that it is too old.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const main = new URL('../dist/cli/main.js', import.meta.url)
const version = process.versions.node.split('.').map(Number)

if (version[0] < 20 || (version[0] === 20 && version[1] < 19)) {
  fail(
    `Casys PML needs Node 20.19 or later; this is ${process.versions.node}.`,
    'Get one at https://nodejs.org',
  )
} else if (!existsSync(main)) {
  fail(
    'Casys PML is not built yet.',
    `Build it with: cd ${fileURLToPath(new URL('..', import.meta.url))} && npm run build`,
  )
} else {
  import(main.href)
    .then((cli) => cli.main(process.argv.slice(2)))
    .then((code) => {
      process.exitCode = code
    })
}

function fail(message, hint) {
  process.stderr.write(`error: ${message}\n  ${hint}\n`)
  process.exitCode = 1
}
