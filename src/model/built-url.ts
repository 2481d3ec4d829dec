/**
 * The compiled file behind a Worker. A Worker loads JavaScript only, while tests run the TypeScript sources: from there the
 * file is taken from the built tree.
 */
export function builtUrl(relative: string, importMetaUrl: string): URL {
  const url = new URL(relative, importMetaUrl)
  if (!importMetaUrl.endsWith('.ts')) return url
  const at = url.pathname.lastIndexOf('/src/')
  return new URL(`file://${url.pathname.slice(0, at)}/dist/${url.pathname.slice(at + 5)}`)
}
