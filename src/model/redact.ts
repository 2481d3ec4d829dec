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

/** The same for every string inside a value. */
export function redactJson<T>(value: T, redact: Redact): T {
  if (typeof value === 'string') return redact(value) as T
  if (Array.isArray(value)) return value.map((item) => redactJson(item, redact)) as T
  if (value !== null && typeof value === 'object') {
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, redactJson(item, redact)]),
    ) as T
  }
  return value
}
