#!/usr/bin/env node
// Kept to what an old Node can read, so that it can say that it is too old.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = new URL('../', import.meta.url)
const folder = fileURLToPath(root)
const main = new URL('dist/cli/main.js', root)
const version = process.versions.node.split('.').map(Number)

if (version[0] < 20 || (version[0] === 20 && version[1] < 19)) {
  fail(
    `Casys PML needs Node 20.19 or later; this is ${process.versions.node}.`,
    'Get one at https://nodejs.org',
  )
} else if (!existsSync(main)) {
  fail('Casys PML is not built yet.', `Install and build it with: cd ${folder} && npm start`)
} else {
  import(main.href).then(run, (error) => {
    // A clone whose packages were never installed, or were removed; anything else is a fault, and shown as one.
    if (error.code !== 'ERR_MODULE_NOT_FOUND' || existsSync(new URL('node_modules', root))) throw error
    fail(
      'The packages that Casys PML needs are not installed.',
      `Install them with: cd ${folder} && npm install`,
    )
  })
}

function run(cli) {
  return cli.main(process.argv.slice(2)).then((code) => {
    process.exitCode = code
  })
}

function fail(message, hint) {
  process.stderr.write(`error: ${message}\n  ${hint}\n`)
  process.exitCode = 1
}
