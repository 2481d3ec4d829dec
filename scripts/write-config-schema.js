// Writes schema/pml.config.schema.json from src/config/config-schema.ts. A test says when it has to be run again.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ready } from './ready.js'
import { root } from './run-step.js'

await ready()
const { configJsonSchema } = await import('../dist/config/config-schema.js')
const file = join(root, 'schema/pml.config.schema.json')
writeFileSync(file, `${JSON.stringify(configJsonSchema(), undefined, 2)}\n`)
process.stderr.write(`Wrote ${file}\n`)
