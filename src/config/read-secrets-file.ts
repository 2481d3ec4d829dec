import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ConfigError } from '../errors.js'

export type Secrets = Readonly<Record<string, string>>

export function secretsFilePath(home: string): string {
  return join(home, 'secrets.env')
}

/**
 * `secrets.env` in the data directory: one `NAME=value` per line, for references that the environment does not answer.
 * A value in double quotes is a JSON string, so that it may have several lines. What is wrong with it is a warning: the
 * servers that need none of it must start.
 */
export async function readSecretsFile(
  home: string,
  onWarning: (warning: ConfigError) => void,
): Promise<Secrets> {
  const file = secretsFilePath(home)
  const text = await readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'ENOENT' && cause.code !== 'ENOTDIR') {
      onWarning(
        new ConfigError(file, undefined, `expected a readable file: ${cause.code}; its secrets are missing`),
      )
    }
    return undefined
  })
  if (text === undefined) return {}
  // Windows has no such modes: there the user's folder keeps others out.
  const mode = process.platform === 'win32' ? 0 : (await stat(file)).mode & 0o077
  if (mode !== 0)
    onWarning(new ConfigError(file, undefined, `others may read it; make it yours alone: chmod 600 ${file}`))
  return parseSecrets(text, (line, expected) => onWarning(new ConfigError(file, line, expected)))
}

export function parseSecrets(text: string, onProblem: (line: number, expected: string) => void): Secrets {
  const secrets: Record<string, string> = Object.create(null)
  for (const [index, line] of text
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .entries()) {
    if (/^\s*(?:#|$)/.test(line)) continue
    const [, name, written] = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)=(.*)$/.exec(line) ?? []
    if (name === undefined) onProblem(index + 1, 'expected NAME=value')
    else secrets[name] = unquoted(written!)
  }
  return { ...secrets }
}

/** The text with more secrets in it; those that it has stay as they are. */
export function addSecretsToText(text: string, added: Secrets): string {
  const known = parseSecrets(text, () => {})
  const lines = Object.entries(added)
    .filter(([name]) => !Object.hasOwn(known, name))
    .map(([name, value]) => `${name}=${quoted(value)}\n`)
  if (lines.length === 0) return text
  const head =
    '# Secrets of the servers behind Casys PML, for references that the environment does not answer.\n'
  const before = text === '' ? head : text.endsWith('\n') ? text : `${text}\n`
  return before + lines.join('')
}

function quoted(value: string): string {
  return /^[^\s"'#][^\r\n"]*$/.test(value) && value.trim() === value ? value : JSON.stringify(value)
}

function unquoted(written: string): string {
  const trimmed = written.trim()
  if (!trimmed.startsWith('"')) return trimmed
  try {
    return String(JSON.parse(trimmed))
  } catch {
    return trimmed
  }
}
