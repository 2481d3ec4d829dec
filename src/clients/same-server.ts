import { canonicalJson, isObject } from '../model/json.js'
import type { LiftedServer } from './lift-secrets.js'

/**
 * Whether an entry of the configuration is this very server, with a reference wherever it has a secret. Gives the names
 * of those references, in the order of the secrets; undefined where it is another server.
 */
export function matchExisting(
  existing: unknown,
  server: LiftedServer,
  lookUp: (variable: string) => string | undefined,
): readonly string[] | undefined {
  if (!isObject(existing)) return undefined
  const order: number[] = []
  const pattern = canonicalJson(comparable(server.definition))
    .split(/\\u0000(\d+)\\u0000/)
    .map((part, at) => {
      if (at % 2 === 0) return part.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
      order.push(Number(part))
      return '\\$\\{([A-Za-z_][A-Za-z0-9_]*)\\}'
    })
    .join('')
  const match = new RegExp(`^${pattern}$`).exec(canonicalJson(comparable(existing)))
  if (match === null) return undefined
  const names = server.secrets.map((_, index) => match[order.indexOf(index) + 1]!)
  const same = server.secrets.every(({ value }, index) => {
    const known = lookUp(names[index]!)
    return value === undefined || known === undefined || known === value
  })
  return same ? names : undefined
}

/** Whether two servers of clients are one, secrets and all. */
export function sameServer(one: LiftedServer, other: LiftedServer): boolean {
  return identity(one) === identity(other)
}

function identity({ definition, secrets }: LiftedServer): string {
  const values = secrets.map(({ raw, value }) => value ?? raw)
  return canonicalJson([comparable(definition), values])
}

/** What may be written or left out without a difference is left out. */
function comparable(definition: object): object {
  const { type, transport, serverUrl, httpUrl, ...rest } = definition as Readonly<Record<string, unknown>>
  const url = rest.url ?? serverUrl ?? httpUrl
  const kept = Object.entries(rest).filter(([key, value]) => {
    if (key === 'disabled') return value === true
    if (key === 'enabled') return value === false
    if (value === null || typeof value !== 'object') return true
    return Object.keys(value).length > 0
  })
  const sse = (type ?? transport) === 'sse' ? { type: 'sse' } : {}
  return { ...Object.fromEntries(kept), ...(url === undefined ? {} : { url }), ...sse }
}
