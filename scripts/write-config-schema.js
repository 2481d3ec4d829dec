// Writes schema/pml.config.schema.json from src/config/config-schema.ts, and schema/mcp-permissions.schema.json from
// src/config/permissions-schema.ts. Tests say when it has to be run again.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ready } from './ready.js'
import { root } from './run-step.js'

await ready()
const { configJsonSchema } = await import('../dist/config/config-schema.js')
const { permissionsJsonSchema } = await import('../dist/config/permissions-schema.js')
write('pml.config.schema.json', configJsonSchema())
write('mcp-permissions.schema.json', permissionsJsonSchema())

function write(name, schema) {
  const file = join(root, 'schema', name)
  writeFileSync(file, `${JSON.stringify(schema, undefined, 2)}\n`)
  process.stderr.write(`Wrote ${file}\n`)
}
