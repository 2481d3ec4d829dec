import { rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Duplex, Readable, Writable } from 'node:stream'
import { HolderError } from '../errors.js'
import { acknowledged } from './acknowledge.js'

/** Requests that came over TCP at another process of ours arrive under this path and keep TCP's rights, not the socket's. */
export const relayedPrefix = '/relayed'

export interface LocalService {
  handle(request: IncomingMessage, response: ServerResponse, via: 'tcp' | 'local'): void
  /** One client's newline-delimited JSON-RPC. */
  serveStream(input: Readable, output: Writable): void
}

/**
 * The holder's own socket, for its user alone (0600). It speaks HTTP: the control API for the command line, relayed requests
 * for a second HTTP front, and by upgrade a plain stream: `pml-stdio` carries one client, `pml-watch` nothing but its end.
 */
export async function serveLocal(path: string, service: LocalService): Promise<{ close(): void }> {
  const open = new Set<Duplex>()
  const server = createServer((request, response) => {
    const url = request.url ?? '/'
    const relayed = url === relayedPrefix || url.startsWith(`${relayedPrefix}/`)
    if (relayed) request.url = url.slice(relayedPrefix.length) || '/'
    service.handle(request, response, relayed ? 'tcp' : 'local')
  })
  server.on('connection', (socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  server.on('upgrade', (request, socket) => {
    const protocol = request.headers.upgrade
    socket.on('error', () => socket.destroy())
    if (protocol !== 'pml-stdio' && protocol !== 'pml-watch') {
      socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')
      return
    }
    socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${protocol}\r\n\r\n`)
    if (protocol === 'pml-stdio') service.serveStream(acknowledged(socket), socket)
    else socket.resume()
  })
  // A client that waits minutes for a slow tool is no fault.
  server.requestTimeout = 0
  server.keepAliveTimeout = 0
  await listenPrivately(server, path)
  return {
    close() {
      server.close()
      for (const socket of open) socket.destroy()
      if (process.platform !== 'win32') rmSync(path, { force: true })
    },
  }
}

async function listenPrivately(server: ReturnType<typeof createServer>, path: string): Promise<void> {
  if (process.platform !== 'win32') rmSync(path, { force: true })
  const before = process.umask(0o177)
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(path, resolve)
      // bind() happens inside listen(), so the mask need not outlive the call.
      process.umask(before)
    })
  } catch (error) {
    throw new HolderError(
      `The gateway's local socket could not be opened at ${path}.`,
      'Check that the data directory (PML_HOME) is on a local disk and belongs to you.',
      { cause: error },
    )
  } finally {
    process.umask(before)
  }
}
