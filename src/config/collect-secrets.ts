import type { EndpointConfig } from '../model/config.js'
import type { ServerConfig } from '../model/server.js'
import type { ResolvedReference } from './resolve-references.js'

const secretName = /token|key|secret|passw|passphrase|auth|credential|cookie/i
/** References to these are about places, not secrets: redacting `/home/ada` everywhere would spoil every result. */
const publicVariables = new Set(
  'HOME PWD USER LOGNAME PATH TMPDIR TMP TEMP SHELL LANG HOSTNAME USERPROFILE APPDATA LOCALAPPDATA PORT'.split(
    ' ',
  ),
)

/** Every value that must not leave: what references brought in, and literals whose name says what they are. */
export function collectSecrets(
  servers: readonly ServerConfig[],
  resolved: readonly ResolvedReference[],
  others: readonly (string | undefined)[],
): readonly string[] {
  const secrets = new Set<string>()
  for (const { variable, value } of resolved) if (!publicVariables.has(variable)) secrets.add(value)
  for (const server of servers) for (const secret of literals(server)) secrets.add(secret)
  for (const other of others) if (other !== undefined) secrets.add(other)
  secrets.delete('')
  return [...secrets]
}

/** What an endpoint must be told and nobody else. */
export function endpointSecrets({ url, apiKey, headers }: EndpointConfig): readonly string[] {
  return [...ofUrl(url), ...named(headers), apiKey ?? '']
}

/** The database's address carries a password, which drivers like to repeat in their errors. */
export function databaseSecrets(env: NodeJS.ProcessEnv): readonly string[] {
  return env.DATABASE_URL === undefined ? [] : ofUrl(env.DATABASE_URL)
}

function literals(server: ServerConfig): readonly string[] {
  if (server.transport !== 'stdio') {
    const { clientSecret = '', privateKey = '' } = server.auth === 'none' ? {} : (server.auth ?? {})
    return [...ofUrl(server.url), ...named(server.headers), clientSecret, privateKey]
  }
  return [...named(server.env), ...ofArguments(server.args)]
}

function named(values: Readonly<Record<string, string>>): string[] {
  return Object.entries(values).flatMap(([name, value]) =>
    // The part after `Bearer ` is often repeated without it.
    secretName.test(name) ? [value, value.replace(/^(?:Bearer|Basic|Token)\s+/i, '')] : [],
  )
}

function ofUrl(text: string): string[] {
  if (!URL.canParse(text)) return []
  const url = new URL(text)
  const parameters = [...url.searchParams].filter(([name]) => secretName.test(name)).map(([, value]) => value)
  return [...parameters, url.password, decoded(url.password)].filter((value) => value !== '')
}

/** `--api-key=x` and `--api-key x`. */
function ofArguments(args: readonly string[]): string[] {
  return args.flatMap((arg, index) => {
    const flag = /^--?([\w-]+)(?:=(.*))?$/s.exec(arg)
    if (flag === null || !secretName.test(flag[1]!)) return []
    const next = args[index + 1]
    return flag[2] !== undefined ? [flag[2]] : next !== undefined && !next.startsWith('-') ? [next] : []
  })
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
