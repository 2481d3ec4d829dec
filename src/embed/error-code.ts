/** The system's code of what went wrong, `ECONNREFUSED` say: `fetch` wraps it, once or twice. */
export function errorCode(error: unknown): string | undefined {
  for (let at = error; at instanceof Error; at = at.cause) {
    const { code } = at as NodeJS.ErrnoException
    if (typeof code === 'string') return code
    // A name with several addresses: each failed for itself.
    if (at instanceof AggregateError && at.errors.length > 0) return errorCode(at.errors[0])
  }
  return undefined
}
