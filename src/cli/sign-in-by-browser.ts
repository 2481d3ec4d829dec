import { createInterface } from 'node:readline'
import type { FetchLike } from '@modelcontextprotocol/client'
import type { AuthRecord } from '../auth/auth-record.js'
import { authOf } from '../auth/client-authentication.js'
import type { Challenge } from '../auth/discover-authorization-server.js'
import { lastRedirectPort, listenForRedirect } from '../auth/listen-for-redirect.js'
import { signIn } from '../auth/sign-in.js'
import type { TokenFile } from '../auth/token-file.js'
import type { HttpServerConfig } from '../model/server.js'
import type { Io } from './io.js'
import { openBrowser } from './open-browser.js'

export interface BrowserSignInOptions {
  readonly file: TokenFile
  readonly fetch: FetchLike
  readonly challenge: Challenge
  readonly kept: AuthRecord | undefined
  readonly mayOpenBrowser: boolean
  /** Ends the wait for the person, with its reason. */
  readonly signal: AbortSignal
  readonly io: Io
}

/**
 * A person signs in, here or on another machine: the address is printed and opened where it can be, and the answer is
 * taken from the browser's way back or from standard input, whichever comes first.
 */
export async function signInByBrowser(
  server: HttpServerConfig,
  { file, fetch, challenge, kept, mayOpenBrowser, signal, io }: BrowserSignInOptions,
): Promise<AuthRecord> {
  const listener = await listenForRedirect({
    server: server.name,
    port: authOf(server).redirectPort,
    lastPort: lastRedirectPort(kept?.client?.redirect_uris),
  })
  const pasted = readPasted(io)
  try {
    return await signIn(server, {
      file,
      fetch,
      challenge,
      redirectUrl: listener.url,
      authorize(address) {
        io.stderr.write(
          `Sign in to ${server.name} at this address:\n\n  ${address.href}\n\n` +
            'If the browser is on another machine, paste the address it ends at here.\n',
        )
        const redirected = listener.redirected(address.searchParams.get('state'))
        if (mayOpenBrowser) openBrowser(address)
        return Promise.race([redirected, pasted.line(), aborted(signal)])
      },
    })
  } finally {
    pasted.close()
    await listener.close()
  }
}

/** The first line that says something; never, when there is nobody to write one. */
function readPasted({ stdin }: Io): { line(): Promise<string>; close(): void } {
  const lines = createInterface({ input: stdin, crlfDelay: Number.POSITIVE_INFINITY })
  const first = new Promise<string>((resolve) => {
    lines.on('line', (line) => {
      if (line.trim() !== '') resolve(line)
    })
  })
  return {
    line: () => first,
    close() {
      lines.close()
      stdin.pause()
      // A pipe that nobody closes would keep the process from ending.
      const { unref } = stdin as { unref?: () => void }
      unref?.call(stdin)
    },
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}
