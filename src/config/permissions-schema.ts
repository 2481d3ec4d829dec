/**
 * Everything mcp-permissions.yaml may say: what `loadPermissions` accepts and what schema/mcp-permissions.schema.json publishes (written
 * by scripts/write-config-schema.js).
 */
import { z } from 'zod'
import { permissionSets } from '../model/permissions.js'

const serverSchema = z.strictObject({
  permissionSet: z
    .enum(permissionSets)
    .describe(
      'The risk of its tools of which nothing else is known. minimal, readonly: safe. trusted: dangerous. Others: moderate.',
    )
    .optional(),
  isReadOnly: z
    .boolean()
    .describe(
      'Nothing that it does changes anything: all its tools are safe, whatever they say of themselves.',
    )
    .optional(),
})

const toolSchema = z.strictObject({
  risk: z
    .enum(['safe', 'moderate', 'dangerous'])
    .describe('safe only reads; moderate runs unasked too; dangerous waits for a person.'),
  reason: z.string().min(1).describe('Why, for who reads it later.').optional(),
})

export const permissionsSchema = z.strictObject({
  $schema: z.string().describe('This schema, for editors.').optional(),
  servers: z.record(z.string(), serverSchema).describe('By the names of the configuration.').default({}),
  toolOverrides: z
    .record(z.string().regex(/^[^:]+:.+$/, 'server:tool'), toolSchema)
    .describe('By server:tool. Stronger than everything but: pml risk set.')
    .default({}),
})

export function permissionKeys(path: readonly (string | number)[]): readonly string[] {
  if (path.length === 0) return Object.keys(permissionsSchema.shape)
  if (path.length !== 2) return []
  return Object.keys((path[0] === 'servers' ? serverSchema : toolSchema).shape)
}

/** The published JSON Schema (2020-12). */
export function permissionsJsonSchema(): object {
  const { $schema, ...rest } = z.toJSONSchema(permissionsSchema, { io: 'input' })
  return { $schema, $id: 'mcp-permissions.schema.json', title: 'Casys PML permissions', ...rest }
}
