/** A number of rows as PostgreSQL takes it: infinity is as many as there can be. */
export function toLimit(limit: number): number {
  return Math.max(0, Math.min(Math.trunc(limit), 2 ** 31 - 1))
}
