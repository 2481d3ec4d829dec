export type Redact = (text: string) => string

/** Shorter values would blot out ordinary words. */
const shortestSecret = 6

/** Replaces every known secret in a text. Given once per configuration; applied wherever text leaves for a log, an error, the store or the page. */
export function createRedact(secrets: readonly string[]): Redact {
  const known = [...new Set(secrets)].filter((secret) => secret.length >= shortestSecret)
  if (known.length === 0) return (text) => text
  known.sort((a, b) => b.length - a.length)
  return (text) => {
    let clean = text
    for (const secret of known) if (clean.includes(secret)) clean = clean.replaceAll(secret, '[redacted]')
    return clean
  }
}

/** A redaction that learns: secrets of an earlier configuration stay secrets. */
export function createLearningRedact(): { readonly redact: Redact; learn(secrets: readonly string[]): void } {
  const known = new Set<string>()
  let current = createRedact([])
  return {
    redact: (text) => current(text),
    learn(secrets) {
      for (const secret of secrets) known.add(secret)
      current = createRedact([...known])
    },
  }
}

/** The same for every string inside a value; an error becomes its text, which as an object it would lose. */
export function redactJson<T>(value: T, redact: Redact): T {
  if (typeof value === 'string') return redact(value) as T
  if (value instanceof Error) return redact(describeError(value)) as T
  if (Array.isArray(value)) return value.map((item) => redactJson(item, redact)) as T
  if (value !== null && typeof value === 'object') {
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, redactJson(item, redact)]),
    ) as T
  }
  return value
}

function describeError(error: Error): string {
  const text = error.stack ?? String(error)
  return error.cause instanceof Error ? `${text}\ncaused by ${describeError(error.cause)}` : text
}
