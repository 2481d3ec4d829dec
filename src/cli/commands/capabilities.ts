import { UsageError } from '../../errors.js'
import type { CapabilityDependency } from '../../model/capability.js'
import { closestName } from '../../model/closest-name.js'
import { commonArgs, defineCliCommand, gatewayChoice } from '../cli-command.js'
import { repeatedOption } from '../parse-command.js'
import { createOwnRun, tellRun } from '../run-workflow.js'
import { createFromFile, readCode } from './capabilities/create-from-file.js'
import { changeDependency, tellDependencies } from './capabilities/depend.js'
import { exportToFile } from './capabilities/export-to-file.js'
import { forgetOne } from './capabilities/forget-one.js'
import { importFromFile, readCapabilities } from './capabilities/import-from-file.js'
import { tellCapabilities } from './capabilities/list-capabilities.js'
import { mergeTwo } from './capabilities/merge-two.js'
import { renameOne } from './capabilities/rename-one.js'
import { readRunWords, runOne } from './capabilities/run-one.js'
import { tellCapability } from './capabilities/show-capability.js'

export const capabilitiesCommand = defineCliCommand({
  name: 'capabilities',
  summary: 'Procedures that were learned: see, run, change and carry them',
  takesMore: true,
  args: {
    action: {
      type: 'positional',
      required: false,
      description:
        'list, show, run, rename, merge, forget, export, import, create or depend; nothing lists all',
    },
    ...commonArgs,
    all: { type: 'boolean', description: 'list: also those that are hidden, and why' },
    arg: {
      type: 'string',
      valueHint: 'key=value',
      description: 'run: an argument; repeat it, or write them behind the name',
    },
    arguments: {
      type: 'string',
      valueHint: 'JSON',
      description: 'run: all arguments as one JSON object, @file or -',
    },
    name: { type: 'string', valueHint: 'name', description: 'create: how code calls it' },
    description: {
      type: 'string',
      valueHint: 'text',
      description: 'create, rename: what it does, in a line',
    },
    intent: {
      type: 'string',
      valueHint: 'text',
      description: 'create: what it is for, as one would ask for it',
    },
    out: { type: 'string', valueHint: 'file', description: 'export: into this file' },
    'with-intents': {
      type: 'boolean',
      description: 'export: also what they were run for, as it was asked for',
    },
    force: { type: 'boolean', description: 'export: overwrite the file' },
    type: {
      type: 'enum',
      options: ['dependency', 'contains', 'sequence', 'alternative'],
      default: 'dependency',
      description: 'depend: how they go together',
    },
    remove: { type: 'boolean', description: 'depend: take it back' },
    yes: {
      type: 'boolean',
      description: 'run: approve what it asks; forget, import: do not ask',
    },
  },
  usageTail: '[NAME ...]',
  examples: [
    'pml capabilities',
    'pml capabilities show read_config',
    'pml capabilities run read_config --arg path=config.json',
    'pml capabilities rename read_config read_settings --description "Reads the settings."',
    'pml capabilities merge read_settings read_config',
    'pml capabilities export read_settings --out team.json',
    'pml capabilities import team.json',
    'pml capabilities create report.ts --name weekly_report --intent "write the weekly report"',
    'pml capabilities depend weekly_report read_settings',
    'pml capabilities forget read_settings',
  ],
  notes: `
A capability is code that worked once, with its literals as parameters. It is called like a tool: found by discover, from workflows, and from
code as capabilities.name(args). It is known by its name, its id (cap:...), or either in another spelling.

  list               one that does worse than its tools one by one is hidden until it does better; it can still be called
  run                exit code: 0 complete, 1 ended otherwise, 3 it waits for somebody
  merge KEPT GONE    the uses of GONE become those of KEPT; the code of KEPT stays
  import FILE        shows the code and asks: what somebody else wrote runs with your tools. With --json and without --yes nothing
                     is taken. A structure that is here already stays as it is
  create FILE.ts     the body of an async function, - is standard input. Literals in arguments of calls become parameters
  depend FROM TO     FROM needs TO; with --type contains: holds it, sequence: comes before it, alternative: stands in for it.
                     With one name or none it lists what is known`,
  async run({ args, rawArgs, io, gateway }) {
    const [action = 'list', ...words] = args._
    const choice = gatewayChoice(args)
    const say = { io, json: args.json === true, yes: args.yes === true }
    switch (action) {
      case 'list':
        refuseMore(words)
        return gateway.withGateway(choice, (api) => tellCapabilities(args.all === true, { ...say, api }))
      case 'show': {
        const [name] = take(words, ['name'])
        return gateway.withGateway(choice, (api) => tellCapability(name, { ...say, api }))
      }
      case 'run': {
        const [name, ...more] = words
        if (name === undefined) throw missing('name')
        const given = await readRunWords([...more, ...repeatedOption(rawArgs, 'arg')], args.arguments, io)
        const own = createOwnRun()
        const run = await gateway.withGateway({ ...choice, beforeStop: own.abort }, (api) =>
          runOne(name, given, own, { ...say, api, mayAsk: args.json !== true && args.arguments !== '-' }),
        )
        return tellRun(run, say)
      }
      case 'rename': {
        const [which, name, ...more] = words
        refuseMore(more)
        if (which === undefined) throw missing('name')
        const { description } = args
        if (name === undefined && description === undefined)
          throw new UsageError('Expected the new name, or --description.', help)
        const changes = {
          ...(name !== undefined && { name }),
          ...(description !== undefined && { description }),
        }
        return gateway.withGateway(choice, (api) => renameOne(which, changes, { ...say, api }))
      }
      case 'merge': {
        const [kept, gone] = take(words, ['name of the one that stays', 'name of the one that goes'])
        return gateway.withGateway(choice, (api) => mergeTwo(kept, gone, { ...say, api }))
      }
      case 'forget': {
        const [name] = take(words, ['name'])
        return gateway.withGateway(choice, (api) => forgetOne(name, { ...say, api }))
      }
      case 'export':
        return gateway.withGateway(choice, (api) =>
          exportToFile(
            {
              names: words,
              file: args.out,
              isForced: args.force === true,
              withIntents: args['with-intents'] === true,
            },
            { ...say, api },
          ),
        )
      case 'import': {
        const [file] = take(words, ['file'])
        const read = readCapabilities(file, io)
        return gateway.withGateway(choice, (api) => importFromFile(read, { ...say, api }))
      }
      case 'create': {
        const [file] = take(words, ['file'])
        if (args.name === undefined) throw new UsageError('Expected --name: how code calls it.', help)
        const code = await readCode(file, io)
        const { name, description, intent } = args
        const written = {
          ...{ code, name },
          ...(description !== undefined && { description }),
          ...(intent !== undefined && { intent }),
        }
        return gateway.withGateway(choice, (api) => createFromFile(written, { ...say, api }))
      }
      case 'depend': {
        const [from, to, ...more] = words
        refuseMore(more)
        const type = args.type as CapabilityDependency['type']
        if (from !== undefined && to !== undefined)
          return gateway.withGateway(choice, (api) =>
            changeDependency({ from, to, type }, args.remove === true, { ...say, api }),
          )
        if (args.remove === true) throw new UsageError('Expected two names with --remove.', help)
        return gateway.withGateway(choice, (api) => tellDependencies(from, { ...say, api }))
      }
      default:
        throw unknownAction(action)
    }
  },
})

const help = 'See: pml capabilities --help'

const actions: readonly string[] = [
  ...['list', 'show', 'run', 'rename', 'merge'],
  ...['forget', 'export', 'import', 'create', 'depend'],
]

/** What is no action may be a name. */
function unknownAction(action: string): UsageError {
  const closest = closestName(action, actions) ?? `show ${action}`
  return new UsageError(
    `Expected ${actions.slice(0, -1).join(', ')} or ${actions.at(-1)}, got "${action}".`,
    `Did you mean: pml capabilities ${closest}`,
  )
}

/** Mistakes are told before a gateway is opened for them. */
function take<const Names extends readonly string[]>(
  words: readonly string[],
  wanted: Names,
): { readonly [At in keyof Names]: string } {
  const lacking = wanted[words.length]
  if (lacking !== undefined) throw missing(lacking)
  refuseMore(words.slice(wanted.length))
  return words as unknown as { readonly [At in keyof Names]: string }
}

function missing(what: string): UsageError {
  return new UsageError(`Expected a ${what}.`.replace('a name of', 'the name of'), help)
}

function refuseMore(words: readonly string[]): void {
  if (words.length > 0) throw new UsageError(`Unexpected: ${words.join(' ')}.`, help)
}
