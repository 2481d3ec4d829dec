import { BadAnswerError } from './explain-download.js'

export interface HubAnswer {
  readonly response: Response
  /** The sha256 of the file, where the hub gives one: it names the content, wherever the bytes come from. */
  readonly checksum: string | undefined
  readonly size: number | undefined
}

/** The hub, its storage, and some room. */
const mostRedirects = 5

/**
 * The hub answers for a large file with its checksum and the address of its bytes. `fetch` would follow and lose the
 * checksum, so the steps are taken one by one. What is asked for may depend on the checksum.
 */
export async function followRedirects(
  url: string,
  signal: AbortSignal,
  headersFor: (checksum: string | undefined) => Record<string, string>,
): Promise<HubAnswer> {
  let checksum: string | undefined
  let size: number | undefined
  let at = url
  for (let step = 0; step <= mostRedirects; step++) {
    const headers = { ...headersFor(checksum), 'accept-encoding': 'identity' }
    const response = await fetch(at, { headers, redirect: 'manual', signal })
    checksum ??= checksumOf(response)
    size ??= linkedSize(response)
    const location = response.headers.get('location')
    if (response.status < 300 || response.status >= 400 || location === null) {
      return { response, checksum, size }
    }
    await response.body?.cancel()
    at = new URL(location, at).href
  }
  throw new BadAnswerError(310, at)
}

/** `x-linked-etag` stands for the large file itself; `etag` is its sha256 where it looks like one. */
function checksumOf({ headers }: Response): string | undefined {
  const etag = headers.get('x-linked-etag') ?? headers.get('etag')
  return /^(?:W\/)?"?([0-9a-f]{64})"?$/i.exec(etag ?? '')?.[1]?.toLowerCase()
}

function linkedSize({ headers }: Response): number | undefined {
  const size = headers.get('x-linked-size')
  return size !== null && /^\d+$/.test(size) ? Number(size) : undefined
}
