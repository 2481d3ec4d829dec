// `npm run test:models`: the tests of ONNX models, with their runtime (470 MB) installed for the time of the run.
// PML_TRANSFORMERS names a folder that has it already, and is kept.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { installInto } from './node22.js'
import { ready } from './ready.js'
import { run, vitest } from './run-step.js'

await ready()
const kept = process.env.PML_TRANSFORMERS
const folder = kept ?? mkdtempSync(join(tmpdir(), 'pml-transformers-'))
try {
  if (kept === undefined) await installInto(folder, {}, ['@huggingface/transformers@4'])
  const args = [
    vitest,
    'run',
    '--project',
    'rooms',
    'src/embed/onnx',
    'src/cli/commands/model',
    ...process.argv.slice(2),
  ]
  process.exitCode = await run(process.execPath, args, { env: { ...process.env, PML_TRANSFORMERS: folder } })
} finally {
  if (kept === undefined) rmSync(folder, { recursive: true, force: true })
}
