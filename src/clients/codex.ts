import { isObject } from '../model/json.js'
import type { ClientFormat, Found, Place, System, Text } from './client-format.js'
import { literal, variable } from './split-text.js'
import { inHome, inProject, pathsOf } from './system-places.js'
import { refuseForeign, takeEntry } from './take-entry.js'
import { connectToml, readTomlServers, restoreToml } from './toml-client.js'

const section = ['mcp_servers']

export const codex: ClientFormat = {
  name: 'codex',
  title: 'Codex',
  places(system) {
    const { CODEX_HOME } = system.env
    const users = CODEX_HOME
      ? [pathsOf(system).join(CODEX_HOME, 'config.toml')]
      : inHome(system, '.codex', 'config.toml')
    const project = { file: inProject(system, '.codex', 'config.toml'), section, project: system.cwd }
    return [...users.map((file) => ({ file, section })), project]
  },
  read: (text, place, system) =>
    readTomlServers(text, place).map(([name, entry]) => readEntry(name, entry, place, system)),
  entries: readTomlServers,
  restore: restoreToml,
  connect: (text, place, change) =>
    connectToml(text, place, change, ({ command, args, env, inherit }) => ({
      command,
      args,
      // Codex hands its servers none of its environment but what is named.
      ...(inherit.length === 0 ? {} : { env_vars: inherit }),
      ...(Object.keys(env).length === 0 ? {} : { env }),
    })),
}

/** Codex names variables of its environment by key, not within texts. */
function readEntry(name: string, entry: unknown, place: Place, system: System): Found {
  const reader = { split: literal, place, system }
  if (!isObject(entry)) return takeEntry(name, entry, reader)
  const {
    http_headers,
    env_http_headers,
    bearer_token_env_var,
    env_vars,
    tool_timeout_sec,
    startup_timeout_sec,
    startup_timeout_ms,
    // Loads, and is not sent: Codex writes http_headers.
    headers,
    ...plain
  } = entry
  const found = takeEntry(
    name,
    { ...plain, ...(http_headers === undefined ? {} : { headers: http_headers }) },
    reader,
  )
  if (found.kind !== 'server') return found
  const timeoutMs = milliseconds(tool_timeout_sec, 1000)
  const connectTimeoutMs = milliseconds(startup_timeout_sec, 1000) ?? milliseconds(startup_timeout_ms, 1)
  const common = {
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(connectTimeoutMs === undefined ? {} : { connectTimeoutMs }),
  }
  const { definition } = found
  const ignored = headers === undefined ? found.ignored : [...found.ignored, 'headers']
  if ('url' in definition) {
    const bearer: Record<string, Text> =
      typeof bearer_token_env_var === 'string'
        ? { Authorization: [{ kind: 'literal', text: 'Bearer ' }, reference(bearer_token_env_var)] }
        : {}
    const fromVariables = isObject(env_http_headers)
      ? Object.entries(env_http_headers).map(([key, value]) => [key, [reference(String(value))]] as const)
      : []
    const all = { ...definition.headers, ...Object.fromEntries(fromVariables), ...bearer }
    return refuseForeign({ ...found, ignored, definition: { ...definition, ...common, headers: all } })
  }
  const passed = Object.fromEntries(variableNames(env_vars).map((key) => [key, [reference(key)]] as const))
  return {
    ...found,
    ignored,
    definition: { ...definition, ...common, env: { ...passed, ...definition.env } },
  }
}

function reference(name: string) {
  return variable(`\${${name}}`, name)
}

function variableNames(value: unknown): readonly string[] {
  if (!Array.isArray(value)) return []
  return value.flatMap((item: unknown) => {
    if (typeof item === 'string') return [item]
    return isObject(item) && typeof item.name === 'string' ? [item.name] : []
  })
}

function milliseconds(value: unknown, factor: number): number | undefined {
  return typeof value === 'number' && value > 0 ? Math.ceil(value * factor) : undefined
}
