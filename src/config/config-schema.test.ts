import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, it } from 'vitest'
import { configJsonSchema } from './config-schema.js'

const published = JSON.parse(
  readFileSync(new URL('../../schema/pml.config.schema.json', import.meta.url), 'utf8'),
)

it('the published JSON Schema is up to date (else run: node scripts/write-config-schema.js)', () => {
  expect(published).toEqual(configJsonSchema())
})

it.each([
  [true, {}],
  [true, { exposure: 'meta', servers: { a: { command: 'npx', args: ['-y', 'x'], autoApprove: [] } } }],
  [true, { mcpServers: { a: { url: 'https://x.example', headers: { A: 'b' } } } }],
  [true, { search: { embedder: 'local', endpoints: { local: { url: 'http://x.example', model: 'm' } } } }],
  [true, { plan: { askModel: true } }],
  [true, { approvals: 'agent' }],
  [true, { approvals: { direct: 'client', tools: { 'files:*': 'ask' } } }],
  [true, { speculation: 'shadow' }],
  [true, { speculation: false }],
  [true, { speculation: { preset: 'eager', tools: { 'files:*': 'off' }, costPerCall: { '*': 0.01 } } }],
  [false, { speculation: 'sometimes' }],
  [false, { speculation: { costPerCall: { '*': -1 } } }],
  [false, { approvals: 'nobody' }],
  [false, { approvals: { tools: { 'files:*': 'maybe' } } }],
  [false, { plan: { askModel: 'yes' } }],
  [false, { search: { endpoints: { local: { url: 'http://x.example' } } } }],
  [false, { exposure: 'all' }],
  [false, { serverz: {} }],
  [false, { servers: { a: { args: [5] } } }],
  [false, { http: { port: 70_000 } }],
])('an editor that reads it says %s to %j', (valid, config) => {
  expect(new Ajv2020({ strict: false }).validate(published, config)).toBe(valid)
})
