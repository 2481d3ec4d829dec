/**
 * The official suite, @modelcontextprotocol/conformance, in the two versions that matter. 0.2 speaks the revision it is told
 * to; 0.1.16 takes one only as a filter and always speaks the newest that its SDK knows, so it is run once, with everything.
 * The SDK it brings is fixed, because that decides what goes over the wire.
 */
export const suites = [
  { version: '0.1.16', sdk: '1.32.2', revisions: ['2025-11-25'], tellRevision: false },
  {
    version: '0.2.0-alpha.12',
    sdk: '1.32.2',
    revisions: ['2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'],
    tellRevision: true,
  },
]

/** The names of the lists in `expected`, by column. */
export function serverLists(version) {
  const name = `server-${version}`
  return { direct: `${name}-direct`, behind: `${name}-gateway`, behindOld: `${name}-gateway-older` }
}
