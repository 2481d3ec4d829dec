import { stripVTControlCharacters } from 'node:util'
import { type ArgsDef, type ParsedArgs, parseArgs } from 'citty'
import { UsageError } from '../errors.js'
import { closestName } from '../model/closest-name.js'
import type { CliCommand } from './cli-command.js'

export interface ParsedCommand {
  readonly args: ParsedArgs
  readonly rawArgs: readonly string[]
  readonly afterDashes: readonly string[]
}

/** citty parses; what it lets pass in silence (unknown options, options without their value) is an error here. */
export function parseCommand(command: CliCommand, argv: readonly string[]): ParsedCommand {
  const dashes = argv.indexOf('--')
  const rawArgs = dashes < 0 ? [...argv] : argv.slice(0, dashes)
  const help = `See: pml ${command.name} --help`
  const known = optionNames(command.args)
  for (const [index, arg] of rawArgs.entries()) {
    const name = /^--?([^=]+)/.exec(arg)?.[1]
    if (name === undefined || isValueOf(command.args, rawArgs, index)) continue
    if (!known.has(name.replace(/^no-/, ''))) throw unknownOption(arg, name, known, command)
    const empty = arg.includes('=') ? arg.endsWith('=') : rawArgs[index + 1] === undefined
    if (empty && takesValue(command.args, name)) throw new UsageError(`--${name} needs a value.`, help)
  }
  try {
    const args = parseArgs(rawArgs, command.args)
    const afterDashes = dashes < 0 ? [] : argv.slice(dashes + 1)
    if (!command.takesMore) refuseMore([...args._, ...afterDashes], command)
    return { args, rawArgs, afterDashes }
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw new UsageError(`${stripVTControlCharacters((error as Error).message)}.`.replace(/\.\.$/, '.'), help)
  }
}

/** A word too many was meant for something: most often it is an option without its dashes. */
function refuseMore(words: readonly string[], { name, args }: CliCommand): void {
  const places = Object.values(args).filter(({ type }) => type === 'positional').length
  const more = words.slice(places)
  if (more.length === 0) return
  const options = [...optionNames(args)].filter((option) => option.length > 1)
  const closest = closestName(more[0]!, options)
  const hint = closest === undefined ? `See: pml ${name} --help` : `Did you mean --${closest}?`
  throw new UsageError(`Unexpected: ${more.join(' ')}.`, hint)
}

/** All values of an option that may be given several times: `--env A=1 --env B=2`. */
export function repeatedOption(rawArgs: readonly string[], name: string): readonly string[] {
  return rawArgs.flatMap((arg, index) => {
    if (arg.startsWith(`--${name}=`)) return [arg.slice(name.length + 3)]
    return arg === `--${name}` && rawArgs[index + 1] !== undefined ? [rawArgs[index + 1]!] : []
  })
}

function optionNames(args: ArgsDef): Set<string> {
  const names = Object.entries(args).flatMap(([name, definition]) =>
    definition.type === 'positional'
      ? []
      : [name, ...[(definition as { alias?: string }).alias ?? []].flat()],
  )
  return new Set([...names, 'help', 'h'])
}

function takesValue(args: ArgsDef, name: string): boolean {
  return args[name]?.type === 'string' || args[name]?.type === 'enum'
}

function isValueOf(args: ArgsDef, rawArgs: readonly string[], index: number): boolean {
  const before = rawArgs[index - 1]
  return before?.startsWith('--') === true && !before.includes('=') && takesValue(args, before.slice(2))
}

function unknownOption(arg: string, name: string, known: Set<string>, command: CliCommand): UsageError {
  const closest = closestName(name, known)
  if (closest !== undefined && closest.length > 1) {
    return new UsageError(`Unknown option ${arg}.`, `Did you mean --${closest}?`)
  }
  const hint = command.name === 'add' ? 'Put the command of the server after --. ' : ''
  return new UsageError(`Unknown option ${arg}.`, `${hint}See: pml ${command.name} --help`)
}
