const longest = 64

/** A name that we can use, as near to the client's as it gets. */
export function mendName(name: string, problemOf: (name: string) => string | undefined): string {
  if (problemOf(name) === undefined) return name
  const mended = name
    .replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, '')
    .replaceAll(':', '-')
    .trim()
    .slice(0, longest)
    .trim()
  if (problemOf(mended) === undefined) return mended
  const longer = mended === '' ? 'server' : `${mended}-server`
  return problemOf(longer) === undefined ? longer : 'server'
}

/** The same name once more: `github`, `github-cursor`, `github-cursor-2`. */
export function* alternatives(name: string, client: string): Generator<string> {
  yield name
  const fitted = (suffix: string): string => `${name.slice(0, longest - suffix.length)}${suffix}`
  yield fitted(`-${client}`)
  for (let count = 2; ; count++) yield fitted(`-${client}-${count}`)
}
