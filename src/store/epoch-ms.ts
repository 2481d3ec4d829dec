/** A timestamptz as milliseconds since 1970; whole ones come back as they were saved. */
export function epochMs(column: string): string {
  return `(extract(epoch from ${column}) * 1000)::double precision`
}
