import type { Json } from './json.js'

export type Redact = (text: string) => string

/** What stands in the place of a secret. */
export const redactedMark = '[redacted]'

/** Whether a secret stood in a text that was kept: what it said is no longer known. */
export function isRedacted(text: string): boolean {
  return text.includes(redactedMark)
}

/** Shorter values would blot out ordinary words. */
const shortestSecret = 6

/** Replaces every known secret in a text. Given once per configuration; applied wherever text leaves for a log, an error, the store or the page. */
export function createRedact(secrets: readonly string[]): Redact {
  const known = [...new Set(secrets)].filter((secret) => secret.length >= shortestSecret)
  if (known.length === 0) return (text) => text
  known.sort((a, b) => b.length - a.length)
  return (text) => {
    let clean = text
    for (const secret of known) if (clean.includes(secret)) clean = clean.replaceAll(secret, redactedMark)
    return clean
  }
}

/** A redaction that learns: secrets of an earlier configuration stay secrets. */
export function createLearningRedact(): LearningRedact {
  const known = new Set<string>()
  const passing = new Map<string, readonly string[]>()
  let current = createRedact([])
  const renew = (): void => {
    current = createRedact([...known, ...[...passing.values()].flat()])
  }
  return {
    redact: (text) => current(text),
    learn(secrets) {
      for (const secret of secrets) known.add(secret)
      renew()
    },
    learnPassing(owner, secrets) {
      const before = passing.get(owner) ?? []
      if (secrets.every((secret) => before.includes(secret))) return
      passing.set(owner, [...new Set([...secrets, ...before])].slice(0, mostPassing))
      renew()
    },
  }
}

export interface LearningRedact {
  readonly redact: Redact
  learn(secrets: readonly string[]): void
  /** Tokens that are replaced every hour: of each owner the newest count, or every text would be searched for thousands. */
  learnPassing(owner: string, secrets: readonly string[]): void
}

const mostPassing = 12

/**
 * The same for every string inside a record of ours; an error becomes its text, which as an object it would lose. Keys are ours
 * and stay: a secret may be a plain word, and a record without its `result` is broken.
 */
export function redactJson<T>(value: T, redact: Redact): T {
  return redactWithin(value, redact, (key) => key) as T
}

/** The same for what tools are given and give, where a key is anybody's word. Of keys that become the same the last stays. */
export function redactData<T extends Json>(value: T, redact: Redact): T {
  return redactWithin(value, redact, redact) as T
}

function redactWithin(value: unknown, redact: Redact, redactKey: Redact): unknown {
  if (typeof value === 'string') return redact(value)
  if (value instanceof Error) return redact(describeError(value))
  if (Array.isArray(value)) return value.map((item) => redactWithin(item, redact, redactKey))
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [redactKey(key), redactWithin(item, redact, redactKey)]),
  )
}

function describeError(error: Error): string {
  const text = error.stack ?? String(error)
  return error.cause instanceof Error ? `${text}\ncaused by ${describeError(error.cause)}` : text
}
