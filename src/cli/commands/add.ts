// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references to the environment are shown as people write them
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { ServerDefinition } from '../../config/edit-config-file.js'
import { UsageError } from '../../errors.js'
import { commonArgs, defineCliCommand } from '../cli-command.js'
import { configFileToEdit } from '../config-file-to-edit.js'
import { type Io, printJson, printLine } from '../io.js'
import { repeatedOption } from '../parse-command.js'

export const addCommand = defineCliCommand({
  name: 'add',
  summary: 'Add a server to the configuration',
  takesMore: true,
  usageTail: '-- COMMAND ARGS',
  args: {
    name: { type: 'positional', required: true, description: 'Name of the server' },
    ...commonArgs,
    url: { type: 'string', valueHint: 'address', description: 'Address of a server reached over HTTP' },
    sse: { type: 'boolean', description: 'It speaks the older HTTP+SSE only' },
    header: { type: 'string', valueHint: 'name=value', description: 'HTTP header; may be repeated' },
    env: {
      type: 'string',
      valueHint: 'name=value',
      description: 'Environment of the command; may be repeated',
    },
  },
  examples: [
    "pml add github --env 'GITHUB_TOKEN=${GITHUB_TOKEN}' -- npx -y @modelcontextprotocol/server-github",
    "pml add docs --url https://example.com/mcp --header 'Authorization=Bearer ${DOCS_TOKEN}'",
    'pml add mine -- ./my-server --verbose',
  ],
  notes:
    'References such as ${GITHUB_TOKEN} are written as they are and resolved when the gateway reads the file.',
  async run({ args, rawArgs, afterDashes, io }) {
    const env = pairs(repeatedOption(rawArgs, 'env'), '--env')
    const headers = pairs(repeatedOption(rawArgs, 'header'), '--header')
    const definition =
      args.url === undefined
        ? stdioServer([...args._.slice(1), ...afterDashes], env, headers, io)
        : httpServer(args.url, afterDashes, env, headers, args.sse === true)
    const file = configFileToEdit(io, args.config)
    const isNew = !existsSync(file)
    const { addServerToFile } = await import('../../config/edit-config-file.js')
    await addServerToFile(file, args.name, definition)
    if (args.json) printJson(io, { file, name: args.name, server: definition })
    else {
      printLine(io, `Added ${args.name} to ${file}`)
      if (isNew) printLine(io, newFileNote(file, args.config))
    }
    return 0
  },
})

/** A file that is found by itself is taken up by a gateway that runs the demo; one that was named must be named again. */
function newFileNote(file: string, named: string | undefined): string {
  return named === undefined
    ? 'It is a new file: the demo servers make way for it, in a gateway that runs now as well.'
    : `It is a new file; use it with: --config ${file}`
}

type Pairs = Readonly<Record<string, string>>

function stdioServer(words: readonly string[], env: Pairs, headers: Pairs, io: Io): ServerDefinition {
  const [command, ...args] = words
  if (command === undefined) {
    throw new UsageError('Expected the command of the server after --, or --url.', 'See: pml add --help')
  }
  if (Object.keys(headers).length > 0)
    throw new UsageError('--header is for a server with --url.', 'Use --env.')
  return {
    command: fromHere(command, io.cwd),
    ...(args.length === 0 ? {} : { args: args.map((arg) => fromHere(arg, io.cwd)) }),
    ...(Object.keys(env).length === 0 ? {} : { env }),
  }
}

function httpServer(
  url: string,
  afterDashes: readonly string[],
  env: Pairs,
  headers: Pairs,
  sse: boolean,
): ServerDefinition {
  if (afterDashes.length > 0) throw new UsageError('Expected either --url or a command after --, got both.')
  if (Object.keys(env).length > 0)
    throw new UsageError('--env is for a server with a command.', 'Use --header.')
  if (!url.includes('${') && !/^https?:\/\//.test(url)) {
    throw new UsageError(`--url: expected an address that starts with http:// or https://, got "${url}".`)
  }
  return {
    url,
    ...(sse ? { type: 'sse' as const } : {}),
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
  }
}

/** The gateway runs elsewhere: a path that is there as seen from here is written in full. */
function fromHere(word: string, cwd: string): string {
  return /^\.{1,2}[/\\]/.test(word) && existsSync(resolve(cwd, word)) ? resolve(cwd, word) : word
}

function pairs(texts: readonly string[], option: string): Pairs {
  return Object.fromEntries(
    texts.map((text) => {
      const [, name, value] = /^([^=:\s]+)(?:=|:\s+)(.*)$/s.exec(text) ?? []
      if (name === undefined)
        throw new UsageError(`${option}: expected name=value, got "${text.split('=')[0]}".`)
      return [name, value!]
    }),
  )
}
