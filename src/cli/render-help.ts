import { stripVTControlCharacters } from 'node:util'
import { type CommandDef, renderUsage } from 'citty'
import type { CliCommand } from './cli-command.js'
import { wantsColour } from './colour.js'
import type { Io } from './io.js'

export async function commandHelp(command: CliCommand, version: string, io: Io): Promise<string> {
  const definition: CommandDef = {
    meta: { name: command.name, version, description: command.summary },
    args: command.args,
  }
  const rendered = await renderUsage(definition, { meta: { name: 'pml' } })
  const usage =
    command.usageTail === undefined ? rendered : rendered.replace(/USAGE.*/, `$& ${command.usageTail}`)
  const notes = command.notes === undefined ? '' : `\n${command.notes.trim()}\n`
  const examples = command.examples.map((example) => `  ${example}`).join('\n')
  return plainUnlessTerminal(`${usage}${notes}\nEXAMPLES\n\n${examples}\n`, io)
}

/** The list of commands is shown from their summaries: none of them is loaded for it. */
export async function mainHelp(
  summaries: Readonly<Record<string, string>>,
  version: string,
  io: Io,
): Promise<string> {
  const subCommands = Object.fromEntries(
    Object.entries(summaries).map(([name, description]) => [name, { meta: { name, description } }]),
  )
  const usage = await renderUsage({
    meta: { name: 'pml', version, description: 'One MCP gateway in front of all your MCP servers' },
    subCommands,
  })
  const examples = ['pml up', 'pml search "read a file"', 'pml call files:read_text_file path=README.md']
  const global = 'Every command takes --config FILE, --exposure MODE, --json and --help.'
  return plainUnlessTerminal(`${usage}\n${global}\n\nEXAMPLES\n\n  ${examples.join('\n  ')}\n`, io)
}

/** citty paints without asking where the text goes. */
function plainUnlessTerminal(text: string, io: Io): string {
  const plain = wantsColour(io, io.stdout) ? text : stripVTControlCharacters(text)
  return plain.replace(/[ \t]+$/gm, '').trimEnd()
}
