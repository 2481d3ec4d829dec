import { join } from 'node:path'
import { allClients } from '../../clients/all-clients.js'
import { changeFiles } from '../../clients/change-files.js'
import type { ClientFormat, PmlEntry } from '../../clients/client-format.js'
import { undoChanges } from '../../clients/undo-changes.js'
import { dataDirectory } from '../../config/data-directory.js'
import { UsageError } from '../../errors.js'
import { closestName } from '../../model/closest-name.js'
import { type CommandContext, commonArgs, defineCliCommand } from '../cli-command.js'
import { coloursFor } from '../colour.js'
import { configFileToEdit } from '../config-file-to-edit.js'
import { programPath } from '../connect-help.js'
import { createAsk } from '../init/ask.js'
import { askChoices } from '../init/ask-choices.js'
import { describeInit } from '../init/describe-init.js'
import { describeUndo } from '../init/describe-undo.js'
import { describeVariables } from '../init/describe-variables.js'
import { type InitData, initData } from '../init/init-data.js'
import { type Choices, chooseChanges, type InitOutcome, planInit } from '../init/plan-init.js'
import { type Io, printJson, printLine } from '../io.js'
import { repeatedOption } from '../parse-command.js'

const args = {
  ...commonArgs,
  client: {
    type: 'string',
    valueHint: 'name',
    description: `Look at this client alone; may be repeated: ${allClients.map(({ name }) => name).join(', ')}`,
  },
  yes: { type: 'boolean', description: 'Do not ask: write the configuration and point the clients at PML' },
  connect: {
    type: 'boolean',
    default: true,
    description: 'Point the clients at PML',
    negativeDescription: 'Leave the files of the clients as they are',
  },
  'copy-secrets': {
    type: 'boolean',
    description: 'Write the values of secrets to secrets.env in the data directory',
  },
  'dry-run': { type: 'boolean', description: 'Only show what would happen' },
  undo: { type: 'boolean', description: 'Take back the last init; again, the one before' },
  force: { type: 'boolean', description: 'With --undo: restore files that were changed since, too' },
} as const

type InitArgs = CommandContext<typeof args>['args']

export const initCommand = defineCliCommand({
  name: 'init',
  summary: 'Take over the servers of your clients',
  args,
  examples: [
    'pml init',
    'pml init --dry-run',
    'pml init --yes --client cursor --client codex',
    'pml init --yes --no-connect',
    'pml init --undo',
  ],
  notes:
    'Shows everything before it asks. Each file that changes is copied first; --undo restores it byte for byte, ' +
    'or its servers alone where the client wrote the file since. ' +
    'Secrets become references such as ${GITHUB_TOKEN}; their values stay in the file of the client.',
  async run({ args, rawArgs, io }) {
    const home = dataDirectory(io.env)
    const backups = join(home, 'init-backups')
    if (args.undo) return undo(args, io, backups)
    if (args.force) throw new UsageError('--force is for --undo.', 'See: pml init --help')
    const configFile = configFileToEdit(io, args.config)
    const plan = await planInit({
      clients: chosenClients(repeatedOption(rawArgs, 'client')),
      system: { platform: process.platform, env: io.env, cwd: io.cwd },
      configFile,
      home,
      entry: ownEntry(io, home, configFile),
    })
    const everything: Choices = {
      connect: args.connect ? plan.connectable.map(({ name }) => name) : [],
      copySecrets: args['copy-secrets'] === true,
    }
    const outcome = await chooseChanges(plan, everything)
    const data = initData(plan, outcome, backups)
    const code = data.broken.length > 0 ? 1 : 0
    if (outcome.changes.length === 0 || args['dry-run']) return preview(data, args, io, code)
    if (args.json) {
      const folder = args.yes ? await changeFiles(outcome.changes, { backups, now: new Date() }) : undefined
      const hint = args.yes ? {} : { hint: 'Nothing was changed. Accept everything with: --yes' }
      printJson(io, { ...data, applied: args.yes === true, ...(folder && { backup: folder }), ...hint })
      return args.yes ? code : 2
    }
    printLine(io, describeInit(data, coloursFor(io, io.stdout)))
    printLine(io)
    if (args.yes) return apply(outcome, io, backups, code)
    if (io.stdin.isTTY !== true) {
      printNotes(outcome, '--copy-secrets', io)
      throw new UsageError(
        'Nothing was changed: there is no terminal to ask at.',
        'Accept all of it with: pml init --yes',
      )
    }
    const ask = createAsk(io)
    try {
      const chosen = await askChoices(plan, everything, ask)
      if (chosen !== undefined) return await apply(await chooseChanges(plan, chosen), io, backups, code)
      printLine(io, 'Nothing was changed.')
      return 1
    } finally {
      ask.close()
    }
  },
})

function preview(data: InitData, args: InitArgs, io: Io, code: number): number {
  if (args.json) {
    printJson(io, { ...data, applied: false })
    return code
  }
  const shown = describeInit(data, coloursFor(io, io.stdout))
  if (shown !== '') printLine(io, `${shown}\n`)
  printNotes(data, '--copy-secrets', io)
  const found = data.places.some(({ servers }) => servers.length > 0)
  if (data.changes.length > 0) printLine(io, 'Nothing was changed: this was a dry run.')
  else if (found || data.places.some(({ connected }) => connected)) printLine(io, 'There is nothing to do.')
  else printLine(io, 'No client has servers to take over. Add one with: pml add')
  return code
}

async function apply(outcome: InitOutcome, io: Io, backups: string, code: number): Promise<number> {
  const folder = await changeFiles(outcome.changes, { backups, now: new Date() })
  for (const { file, before } of outcome.changes) {
    printLine(io, `${before === undefined ? 'Created' : 'Changed'} ${file}`)
  }
  const pointed = outcome.connections.map(({ client }) => client.title)
  if (pointed.length > 0) printLine(io, `Restart to use PML: ${pointed.join(', ')}`)
  printNotes(outcome, 'pml init --undo, then pml init --copy-secrets', io)
  printLine(io, `Take it back with: pml init --undo (copies are in ${folder})`)
  return code
}

/** Once in every run, and last: before the questions nobody knows yet what the answers come to. */
function printNotes(about: Parameters<typeof describeVariables>[0], remedy: string, io: Io): void {
  for (const note of describeVariables(about, remedy, coloursFor(io, io.stdout))) printLine(io, note)
}

function chosenClients(names: readonly string[]): readonly ClientFormat[] {
  if (names.length === 0) return allClients
  const known = allClients.map(({ name }) => name as string)
  for (const name of names) {
    if (known.includes(name)) continue
    const closest = closestName(name, known)
    const hint = closest === undefined ? `Known are: ${known.join(', ')}.` : `Did you mean "${closest}"?`
    throw new UsageError(`No client "${name}".`, hint)
  }
  return allClients.filter(({ name }) => names.includes(name))
}

/** Clients with a window have neither the shell's PATH nor its variables, so everything is named in full. */
function ownEntry(io: Io, home: string, configFile: string): PmlEntry {
  const moved = io.env.PML_HOME || io.env.XDG_DATA_HOME
  return {
    command: process.execPath,
    args: [programPath(), 'serve', '--config', configFile],
    env: moved ? { PML_HOME: home } : {},
    inherit: [],
  }
}

async function undo(args: InitArgs, io: Io, backups: string): Promise<number> {
  const undone = await undoChanges({
    backups,
    now: new Date(),
    force: args.force === true,
    dryRun: args['dry-run'] === true,
  })
  if (args.json) printJson(io, undone ?? { files: [] })
  else printLine(io, describeUndo(undone, args['dry-run'] === true))
  return undone?.files.some(({ result }) => result === 'changed') ? 1 : 0
}
