import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { formatToolId } from '../model/tool.js'
import { readRiskSnapshot, writeRiskSnapshot } from './risk-snapshot.js'

const home = mkdtempSync(join(tmpdir(), 'pml-risk-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))

const tool = formatToolId('files', 'write')

it('gives back what was written, and nothing where there is nothing', async () => {
  expect(readRiskSnapshot(home)).toEqual({ overrides: [], refused: [] })
  const snapshot = {
    overrides: [{ tool, risk: 'dangerous' as const, reason: 'it writes', setAt: 5 }],
    refused: [tool],
  }
  await writeRiskSnapshot(home, snapshot)
  expect(readRiskSnapshot(home)).toEqual(snapshot)
})

it.each([
  '',
  '{',
  '[]',
  '{"overrides": 5, "refused": []}',
])('a file that is none says nothing: %s', (text) => {
  writeFileSync(join(home, 'risk.json'), text)
  expect(readRiskSnapshot(home)).toEqual({ overrides: [], refused: [] })
})

it('what is no override is left out', () => {
  const text = '{"overrides": [{"tool": "a:b", "risk": "none"}, null], "refused": [7, "a:b"]}'
  writeFileSync(join(home, 'risk.json'), text)
  expect(readRiskSnapshot(home)).toEqual({ overrides: [], refused: ['a:b'] })
})
