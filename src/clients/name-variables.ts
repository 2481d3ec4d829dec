import type { Secret } from './lift-secrets.js'

export interface VariableNames {
  /** The variable that holds a server's secret: the same one for the same name and value. */
  nameFor(server: string, secret: Secret): string
}

export interface KnownVariables {
  /** What a variable holds now; undefined where it is not set. */
  lookUp(variable: string): string | undefined
  /** Names that servers refer to already, whatever they hold. */
  readonly used: ReadonlySet<string>
}

/** The gateway itself reads these, or hands them to every server: a secret by such a name would change more than it should. */
const notOurs =
  /^(?:PML_.*|NODE_.*|npm_.*|LD_.*|DYLD_.*|DATABASE_URL|PATH|PATHEXT|HOME|USER|LOGNAME|USERNAME|USERPROFILE|APPDATA|LOCALAPPDATA|SHELL|PWD|LANG|LC_.*|TERM|TMP|TEMP|TMPDIR|HOSTNAME|PORT|.*_PROXY|SYSTEMROOT|COMSPEC)$/i

export function createVariableNames({ lookUp, used }: KnownVariables): VariableNames {
  const given = new Map<string, string>()
  return {
    nameFor(server, secret) {
      const content = secret.value ?? secret.raw
      for (const name of candidates(server, secret)) {
        if (!isFree(name, secret)) continue
        given.set(name, content)
        return name
      }
      throw new Error('there is no end of names')
    },
  }

  function isFree(name: string, { value, raw }: Secret): boolean {
    if (notOurs.test(name)) return false
    const before = given.get(name)
    if (before !== undefined) return before === (value ?? raw)
    const now = lookUp(name)
    if (now !== undefined) return value === undefined || now === value
    return !used.has(name)
  }
}

function* candidates(server: string, { wanted, own }: Secret): Generator<string> {
  const base = toVariable(wanted)
  if (own) yield base
  const prefix = toVariable(server)
  // `github` with GITHUB_TOKEN need not become GITHUB_GITHUB_TOKEN.
  const longer = base.startsWith(`${prefix}_`) && !own ? base : `${prefix}_${base}`
  yield longer
  for (let count = 2; ; count++) yield `${longer}_${count}`
}

function toVariable(text: string): string {
  if (/^[A-Z_][A-Z0-9_]*$/.test(text)) return text
  const name = text
    .normalize('NFKD')
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .toUpperCase()
  return name === '' ? 'SERVER' : /^\d/.test(name) ? `_${name}` : name
}
