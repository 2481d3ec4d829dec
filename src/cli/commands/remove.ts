import { commonArgs, defineCliCommand } from '../cli-command.js'
import { configFileToEdit } from '../config-file-to-edit.js'
import { printJson, printLine } from '../io.js'

export const removeCommand = defineCliCommand({
  name: 'remove',
  summary: 'Remove a server from the configuration',
  args: { name: { type: 'positional', required: true, description: 'Name of the server' }, ...commonArgs },
  examples: ['pml remove github', 'pml remove github --config team.yaml'],
  async run({ args, io }) {
    const file = configFileToEdit(io, args.config)
    const { removeServerFromFile } = await import('../../config/edit-config-file.js')
    await removeServerFromFile(file, args.name)
    if (args.json) printJson(io, { file, name: args.name })
    else printLine(io, `Removed ${args.name} from ${file}`)
    return 0
  },
})
