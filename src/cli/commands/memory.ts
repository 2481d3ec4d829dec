import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { UsageError } from '../../errors.js'
import type { HolderApi } from '../../holder/holder-api.js'
import type { Imported } from '../../learn/memory/import-memory.js'
import type { MemoryFile } from '../../learn/memory/memory-file.js'
import type { Forgotten } from '../../learn/memory/reset-memory.js'
import { commonArgs, defineCliCommand, gatewayChoice } from '../cli-command.js'
import { countOf } from '../count-of.js'
import { type Io, printJson, printLine } from '../io.js'

export const memoryCommand = defineCliCommand({
  name: 'memory',
  summary: 'Carry what was learned to others, or forget it',
  takesMore: true,
  args: {
    action: { type: 'positional', required: true, description: 'export [FILE], import FILE or reset' },
    ...commonArgs,
    again: { type: 'boolean', description: 'import: also a file that was imported before' },
    'with-preferences': {
      type: 'boolean',
      description: 'import, reset: also what was approved and rejected by people',
    },
    force: { type: 'boolean', description: 'export: overwrite the file' },
    yes: { type: 'boolean', description: 'reset: do not ask' },
  },
  usageTail: '[FILE]',
  examples: [
    'pml memory export team.json',
    'pml memory import team.json',
    "pml memory export | jq '.edges | length'",
    'pml memory reset',
  ],
  notes: `
A memory holds which tools go together, what results look like, how calls went, thresholds, and the weights that say what comes next. It holds
no run, no request, no argument, no result and no secret. What is imported is added to what is known here; what was seen here counts more. What
people approved elsewhere is left out unless --with-preferences says otherwise, and is then in the audit: pml risk audit.
Reset forgets all of it, every trace, and the procedures that were learned. Runs, trusted tools, risks that were set, procedures that
people wrote or brought, and the audit stay. Procedures are code, and not in the file: pml capabilities export`,
  async run({ args, io, gateway }) {
    const [action, file, ...more] = args._
    if (more.length > 0) throw new UsageError(`Unexpected: ${more.join(' ')}.`, help)
    const choice = gatewayChoice(args)
    switch (action) {
      case 'export':
        return gateway.withGateway(choice, (api) => tellExport(file, args, api, io))
      case 'import': {
        if (file === undefined)
          throw new UsageError('Expected the file to import.', 'Write: pml memory import FILE')
        const memory = readMemory(resolve(io.cwd, file), file)
        return gateway.withGateway(choice, (api) => tellImport(memory, args, api, io))
      }
      case 'reset':
        if (file !== undefined) throw new UsageError(`Unexpected: ${file}.`, help)
        return gateway.withGateway(choice, (api) => tellReset(args, api, io))
      default:
        throw new UsageError(`Expected export, import or reset, got "${action}".`, help)
    }
  },
})

const help = 'See: pml memory --help'

interface MemoryArgs {
  readonly json?: boolean | undefined
  readonly again?: boolean | undefined
  readonly force?: boolean | undefined
  readonly yes?: boolean | undefined
  readonly 'with-preferences'?: boolean | undefined
}

async function tellExport(
  file: string | undefined,
  args: MemoryArgs,
  api: HolderApi,
  io: Io,
): Promise<number> {
  const memory = (await api.get('/api/memory')) as MemoryFile
  if (file === undefined) {
    printJson(io, memory)
    return 0
  }
  writeMemory(resolve(io.cwd, file), file, memory, args.force === true)
  if (args.json) printJson(io, { file, ...countsOf(memory) })
  else printLine(io, `Wrote ${file}: ${describeCounts(countsOf(memory))}.`)
  return 0
}

async function tellImport(memory: unknown, args: MemoryArgs, api: HolderApi, io: Io): Promise<number> {
  const imported = (await api.post('/api/memory', {
    memory,
    ...(args.again && { again: true }),
    ...(args['with-preferences'] && { withPreferences: true }),
  })) as Imported
  if (args.json) {
    printJson(io, imported)
    return 0
  }
  printLine(io, `Imported ${describeCounts(imported)}.`)
  if (imported.refusedEdges > 0)
    printLine(
      io,
      `${countOf(imported.refusedEdges, 'edge')} left out: with what is known here they would close a cycle.`,
    )
  if (imported.preferencesLeftOut > 0)
    printLine(
      io,
      args['with-preferences']
        ? `${countOf(imported.preferencesLeftOut, 'preference')} left out: somebody has answered about these tools here.`
        : `${countOf(imported.preferencesLeftOut, 'preference')} left out: what people approved elsewhere is taken over with --with-preferences.`,
    )
  return 0
}

async function tellReset(args: MemoryArgs, api: HolderApi, io: Io): Promise<number> {
  const withPreferences = args['with-preferences'] === true
  if (args.yes !== true) {
    const known = countsOf((await api.get('/api/memory')) as MemoryFile)
    const lost = withPreferences ? known : { ...known, preferences: 0 }
    if (
      !(await agrees(
        `Forget ${describeCounts(lost)}, every trace, and the procedures that were learned?`,
        io,
      ))
    ) {
      if (args.json) printJson(io, { forgotten: null })
      else printLine(io, 'Nothing was forgotten.')
      return 1
    }
  }
  const forgotten = (await api.post(
    '/api/memory/reset',
    withPreferences ? { withPreferences } : {},
  )) as Forgotten
  if (args.json) printJson(io, forgotten)
  else
    printLine(
      io,
      `Forgot ${describeCounts(forgotten)}, every trace, and the procedures that were learned. Runs, risks and the audit stay.`,
    )
  return 0
}

function countsOf(memory: MemoryFile): Forgotten {
  return {
    edges: memory.edges.length,
    outputSchemas: memory.outputSchemas.length,
    betaStates: memory.betaStates.length,
    thresholds: memory.thresholds.length,
    preferences: memory.preferences.length,
  }
}

function describeCounts({ edges, outputSchemas, betaStates, thresholds, preferences }: Forgotten): string {
  return [
    countOf(edges, 'edge'),
    `how ${countOf(betaStates, 'tool')} did`,
    `what ${countOf(outputSchemas, 'result')} looked like`,
    countOf(thresholds, 'threshold'),
    ...(preferences > 0 ? [countOf(preferences, 'preference')] : []),
  ].join(', ')
}

function readMemory(path: string, file: string): unknown {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${reason(error)}.`, 'Correct the path.')
  }
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new UsageError(
      `${file} is no JSON: ${reason(error)}.`,
      'Such a file is made by: pml memory export FILE',
    )
  }
}

/** It says which tools somebody uses: nobody else's to read. */
function writeMemory(path: string, file: string, memory: MemoryFile, isForced: boolean): void {
  try {
    const descriptor = openSync(path, isForced ? 'w' : 'wx', 0o600)
    try {
      writeSync(descriptor, `${JSON.stringify(memory, undefined, 2)}\n`)
    } finally {
      closeSync(descriptor)
    }
  } catch (error) {
    if ((error as { code?: unknown }).code === 'EEXIST')
      throw new UsageError(`${file} is there already.`, 'Overwrite it with: --force')
    throw new UsageError(`${file} cannot be written: ${reason(error)}.`, 'Give another file.')
  }
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** What is forgotten is gone: without a terminal it has to be said in so many words. */
async function agrees(question: string, io: Io): Promise<boolean> {
  if (io.stdin.isTTY !== true) throw new UsageError('There is no terminal to ask at.', 'Forget with: --yes')
  const asking = createInterface({ input: io.stdin, output: process.stderr })
  try {
    return /^y(?:es)?$/i.test((await asking.question(`${question} [y/N] `)).trim())
  } finally {
    asking.close()
  }
}
