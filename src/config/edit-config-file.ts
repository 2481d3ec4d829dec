/** Changes servers and settings in a file that a person wrote: what is not touched keeps its comments and its form. */
import { readFile } from 'node:fs/promises'
import { isDeepStrictEqual } from 'node:util'
import { ConfigError, UsageError } from '../errors.js'
import { closestName } from '../model/closest-name.js'
import { isObject } from '../model/json.js'
import type { ServerDefinition } from '../model/server-definition.js'
import { writeFileAtomically } from '../model/write-file-atomically.js'
import { isJsonFile, parseConfigText } from './config-text.js'
import { addToJson, removeFromJson, setInJson } from './edit-json-text.js'
import { addToYaml, printInYaml, removeFromYaml, setInYaml } from './edit-yaml-text.js'
import { serverNameProblem } from './server-name.js'

export type { ServerDefinition }

export type Section = 'servers' | 'mcpServers'

export async function addServerToFile(
  file: string,
  name: string,
  definition: ServerDefinition,
): Promise<void> {
  const wrong = serverNameProblem(name)
  if (wrong !== undefined) throw new UsageError(wrong, 'Choose another name.')
  const text = await readOrEmpty(file)
  const before = await readServers(text, file)
  if (Object.hasOwn(before.servers, name)) {
    throw new UsageError(
      `${file} has a server "${name}" already.`,
      `Remove it first with: pml remove ${name}`,
    )
  }
  const edit = isJsonFile(file) ? addToJson : addToYaml
  const edited = await edit(text, before.section, name, definition)
  await writeChecked(file, edited, { ...before.servers, [name]: definition })
}

/** The servers as a file writes them, references and all; none where there is no file. */
export async function serversOfFile(file: string): Promise<Readonly<Record<string, unknown>>> {
  return (await readServers(await readOrEmpty(file), file)).servers
}

/** What the text of a file becomes with several servers more, for a caller that shows it before it writes it. */
export async function addServersToText(
  file: string,
  text: string,
  added: Readonly<Record<string, ServerDefinition>>,
): Promise<string> {
  const before = await readServers(text, file)
  const edit = isJsonFile(file) ? addToJson : addToYaml
  let edited = text
  for (const [name, definition] of Object.entries(added)) {
    const wrong = serverNameProblem(name)
    if (wrong !== undefined) throw new UsageError(wrong, 'Choose another name.')
    edited = await edit(edited, before.section, name, definition)
  }
  await check(file, edited, { ...before.servers, ...added })
  return edited
}

export async function removeServerFromFile(file: string, name: string): Promise<void> {
  const text = await readOrEmpty(file)
  const { section, servers } = await readServers(text, file)
  if (!Object.hasOwn(servers, name)) {
    const closest = closestName(name, Object.keys(servers))
    const known = Object.keys(servers).join(', ') || 'none'
    const hint = closest === undefined ? `It has: ${known}.` : `Did you mean "${closest}"?`
    throw new UsageError(`${file} has no server "${name}".`, hint)
  }
  const edit = isJsonFile(file) ? removeFromJson : removeFromYaml
  const { [name]: _, ...rest } = servers
  await writeChecked(file, await edit(text, section, name), rest)
}

/** Sets one text beneath a section of a file, `search.embedder` say; makes section and file where there is none. */
export async function setInFile(file: string, section: string, key: string, value: string): Promise<void> {
  const text = await readOrEmpty(file)
  const { value: before, lineOf } = await parseConfigText(text, file)
  if (!isObject(before)) throw new ConfigError(file, 1, 'expected a mapping with servers')
  const old = before[section] ?? {}
  if (!isObject(old)) throw new ConfigError(file, lineOf([section]), `${section}: expected a mapping`)
  const expected = { ...before, [section]: { ...old, [key]: value } }
  for (const edit of isJsonFile(file) ? [setInJson] : [setInYaml, printInYaml]) {
    const edited = await edit(text, section, key, value)
    const isExact = await parseConfigText(edited, file).then(
      (after) => isDeepStrictEqual(after.value, expected),
      () => false,
    )
    if (isExact) return await writeFileAtomically(file, edited)
  }
  throw cannotEdit(file)
}

async function readOrEmpty(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw new ConfigError(file, undefined, `expected a readable file: ${(error as Error).message}`, {
      cause: error,
    })
  }
}

async function readServers(
  text: string,
  file: string,
): Promise<{ section: Section; servers: Record<string, unknown> }> {
  const { value, lineOf } = await parseConfigText(text, file)
  if (!isObject(value)) throw new ConfigError(file, 1, 'expected a mapping with servers')
  const section = sectionOf(value, file)
  const servers = value[section] ?? {}
  if (!isObject(servers)) {
    throw new ConfigError(file, lineOf([section]), `${section}: expected a mapping of servers by name`)
  }
  return { section, servers }
}

function sectionOf(value: object, file: string): Section {
  if (Object.hasOwn(value, 'servers')) return 'servers'
  if (Object.hasOwn(value, 'mcpServers')) return 'mcpServers'
  return isJsonFile(file) ? 'mcpServers' : 'servers'
}

/** Nothing is written that does not read back as exactly the change that was asked for. */
async function writeChecked(file: string, text: string, expected: Record<string, unknown>): Promise<void> {
  await check(file, text, expected)
  await writeFileAtomically(file, text)
}

async function check(file: string, text: string, expected: Record<string, unknown>): Promise<void> {
  const { servers } = await readServers(text, file)
  if (!isDeepStrictEqual(servers, expected)) {
    throw cannotEdit(file)
  }
}

function cannotEdit(file: string): ConfigError {
  return new ConfigError(file, undefined, 'the file is written in a way that this command cannot edit safely')
}
