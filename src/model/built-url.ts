/**
 * The file behind a Worker, which runs JavaScript only: from the sources (tests) it is the built file of the same name,
 * `.../src/store/x.ts` -> `.../dist/store/x.js`; from the built tree it is the file itself.
 */
export function builtUrl(file: string, importMetaUrl: string): URL {
  const url = new URL(file, importMetaUrl)
  if (!importMetaUrl.endsWith('.ts')) return url
  const source = url.href.lastIndexOf('/src/')
  return new URL(`${url.href.slice(0, source)}/dist/${url.href.slice(source + '/src/'.length)}`)
}
