import type { Path } from './config-text.js'

/**
 * `${NAME}`, `${NAME:-default}` and `${env:NAME}` (as Cursor and VS Code write it) in any string value; `$${` stands for
 * a literal `${`. What does not read as one of these, `${x%y}` in a shell script say, stays as it is.
 */
const reference = /\$(\$\{)|\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}|\$\{input:([^}]*)\}/g

export interface ResolvedReference {
  readonly path: Path
  readonly variable: string
  readonly value: string
}

export interface MissingReference {
  readonly path: Path
  readonly expected: string
  /** Absent where no variable could answer it. */
  readonly variable?: string
}

export interface Resolved {
  readonly value: unknown
  readonly resolved: readonly ResolvedReference[]
  readonly missing: readonly MissingReference[]
}

/** Settings that are not text, so that `port: ${PORT}` gives a number. */
const notText =
  /(?:Ms|Tokens|Window|Budget|Bytes|Starts|Calls|PerServer|Arguments)$|^(?:port|disabled|enabled|stateful|trust|timeout)$/

export function resolveReferences(
  value: unknown,
  env: NodeJS.ProcessEnv,
  secrets: Readonly<Record<string, string>> = {},
): Resolved {
  const resolved: ResolvedReference[] = []
  const missing: MissingReference[] = []
  return { value: walk(value, []), resolved, missing }

  function walk(node: unknown, path: Path): unknown {
    if (typeof node === 'string') {
      const written = text(node, path)
      return node.includes('${') && isTyped(path) ? typed(written) : written
    }
    if (Array.isArray(node)) return node.map((item, index) => walk(item, [...path, index]))
    if (node === null || typeof node !== 'object') return node
    return Object.fromEntries(Object.entries(node).map(([key, item]) => [key, walk(item, [...path, key])]))
  }

  function text(written: string, path: Path): string {
    return written.replace(reference, (whole, escaped, variable, fallback, input) => {
      if (escaped !== undefined) return '${'
      if (input !== undefined) {
        missing.push({ path, expected: `${whole} asks a person; expected an environment variable, \${NAME}` })
        return ''
      }
      const set: string | undefined =
        env[variable] ?? (Object.hasOwn(secrets, variable) ? secrets[variable] : undefined)
      if (set !== undefined && (set !== '' || fallback === undefined)) {
        resolved.push({ path, variable, value: set })
        return set
      }
      if (fallback !== undefined) return fallback
      missing.push({ path, variable, expected: `expected the environment variable ${variable} to be set` })
      return ''
    })
  }
}

function isTyped(path: Path): boolean {
  if (path[0] === 'search') return false
  const inServer = path[0] === 'servers' || path[0] === 'mcpServers'
  return path.length === (inServer ? 3 : path.length) && notText.test(String(path.at(-1)))
}

function typed(text: string): unknown {
  if (/^-?\d+(?:\.\d+)?$/.test(text)) return Number(text)
  return text === 'true' ? true : text === 'false' ? false : text
}
