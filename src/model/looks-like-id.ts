/** Longer names of fields are sentences, keys made by a program, or secrets. */
const longestName = 40

const shapes = [
  /^\d+$/,
  // A date, a time.
  /^\d{4}-\d\d/,
  // UUIDs and hashes.
  /^(?=.*\d)[0-9a-f]{7,}$/i,
  /^[0-9a-f]{8}-[0-9a-f]{4}-/i,
  // Paths, addresses, e-mails.
  /[/@\\]/,
  /:\/\//,
  // `PROJ-118`, `user_4711`, `#42`.
  /[-_:#]\d{2,}$/,
  // `a8Fk2LmQ9xZ01b`: digits in the middle of letters, again and again.
  /^(?=.{12,}$)[a-z_-]*(?:\d+[a-z_-]+){2,}\d*$/i,
]

/** Whether a key is data, not the name of a field: the id, path, date or number of the thing that stands there. */
export function looksLikeId(key: string): boolean {
  return key.length > longestName || shapes.some((shape) => shape.test(key))
}
