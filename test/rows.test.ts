/** The drawing of ARCHITECTURE.md, held: each room imports only rooms beneath it, and siblings are strangers. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { root } from './harness.js'

const rows: readonly (readonly string[])[] = [
  ['cli'],
  ['pml'],
  ['gateway', 'holder', 'evaluate'],
  ['plan', 'execute', 'learn'],
  ['graph', 'upstream', 'embed', 'sandbox', 'capabilities'],
  ['auth', 'clients', 'store', 'config'],
  ['model', 'errors', 'version'],
]
const rowOf = (room: string): number => rows.findIndex((row) => row.includes(room))
const source = join(root, 'src')

it('each room imports only rooms beneath it', () => {
  const wrong: string[] = []
  for (const file of readdirSync(source, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts') || file === 'index.ts') continue
    const from = roomOf(file)
    expect(rowOf(from), `src/${file} is in no room of the drawing`).toBeGreaterThanOrEqual(0)
    for (const [, target] of readFileSync(join(source, file), 'utf8').matchAll(
      /(?:from|import\()\s*'(\.[^']+)'/g,
    )) {
      const to = relative(source, resolve(dirname(join(source, file)), target!))
      if (to.startsWith('..')) continue
      const room = roomOf(to)
      if (room !== from && rowOf(room) <= rowOf(from) && rowOf(from) < rows.length - 1)
        wrong.push(`${file} -> ${to}`)
    }
  }
  expect(wrong).toEqual([])
})

/** Whether a statement of a tool's call only reads is tried with statements; nothing of ours sends them. */
const judgesStatements = new Set(['gateway/call-rules.test.ts', 'model/is-plain-select.test.ts'])

it('SQL stands in store/ alone', () => {
  const sql = /\b(select\s+.+\s+from|insert\s+into|update\s+\w+\s+set|delete\s+from|create\s+table)\b/i
  const wrong = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(
    (file) =>
      file.endsWith('.ts') &&
      !file.startsWith('store') &&
      !judgesStatements.has(file) &&
      sql.test(readFileSync(join(source, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')),
  )
  expect(wrong).toEqual([])
})

function roomOf(file: string): string {
  return file.split('/')[0]!.replace(/\.(test\.)?[jt]s$/, '')
}
