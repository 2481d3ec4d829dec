import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { AuthError } from '../errors.js'

/** The loopback address that a browser comes back to with the answer (RFC 8252, 7.3). */
export interface RedirectListener {
  readonly url: string
  /** Resolves with the whole address of the first request that came to it with this state. */
  redirected(state: string | null): Promise<string>
  close(): Promise<void>
}

export interface RedirectPlace {
  readonly server: string
  /** Configured: this one or none. */
  readonly port: number | undefined
  /** Of the last sign-in: taken when it is free, because some servers compare the whole address. */
  readonly lastPort: number | undefined
}

const path = '/callback'

export async function listenForRedirect({
  server,
  port,
  lastPort,
}: RedirectPlace): Promise<RedirectListener> {
  let arrive: (address: URL) => boolean = () => false
  const http = createServer((request, response) => {
    const asked = request.url ?? '/'
    const address = URL.canParse(asked, url) ? new URL(asked, url) : undefined
    if (request.method !== 'GET' || address?.pathname !== path) {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('Nothing here.\n')
      return
    }
    // Any page can lead a browser here: whoever does not know the state is no part of this.
    if (!arrive(address)) {
      response
        .writeHead(400, { 'content-type': 'text/plain' })
        .end('This sign-in is not the one under way.\n')
      return
    }
    const ok = address.searchParams.has('code')
    response.writeHead(200, headers).end(page(ok ? 'Thank you.' : 'That did not work.'))
  })
  const at = await listenSomewhere(http, port, lastPort, server)
  const url = `http://127.0.0.1:${at}${path}`
  return {
    url,
    redirected: (state) =>
      new Promise((resolve) => {
        arrive = (address) => {
          if (address.searchParams.get('state') !== state) return false
          resolve(address.href)
          return true
        }
      }),
    close: () =>
      new Promise((resolve) => {
        http.close(() => resolve())
        http.closeIdleConnections()
        // The page is on its way to a browser that keeps its connection open.
        setTimeout(() => http.closeAllConnections(), 200).unref()
      }),
  }
}

/** The port of the redirect that was registered last, where there is one. */
export function lastRedirectPort(redirectUris: readonly string[] | undefined): number | undefined {
  const [first] = redirectUris ?? []
  return first === undefined || !URL.canParse(first) ? undefined : Number(new URL(first).port) || undefined
}

const headers = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'",
  connection: 'close',
}

function page(text: string): string {
  return `<!doctype html><title>Casys PML</title><p>${text} You can close this window.</p>\n`
}

async function listenSomewhere(
  http: Server,
  port: number | undefined,
  lastPort: number | undefined,
  server: string,
): Promise<number> {
  if (port === undefined) return listen(http, lastPort ?? 0).catch(() => listen(http, 0))
  return listen(http, port).catch((cause: NodeJS.ErrnoException) => {
    throw new AuthError(
      server,
      `port ${port} (auth.redirectPort) cannot be listened on (${cause.code}).`,
      'Close the program that uses it, or set another one that the authorization server knows.',
      { cause },
    )
  })
}

function listen(http: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    http.once('error', reject)
    http.listen(port, '127.0.0.1', () => {
      http.off('error', reject)
      resolve((http.address() as AddressInfo).port)
    })
  })
}
