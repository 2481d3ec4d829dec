/** The clients that stay connected: who they are, what they watch, and how they are told what nobody asked for. */
import type { Server } from '@modelcontextprotocol/server'
import type { ClientSide } from '../model/client-side.js'
import type { Clients } from '../upstream/upstreams.js'
import { type ConnectionState, isModernServer, legacyClientSide } from './client-sides.js'
import type { OffersView } from './offers-view.js'
import type { WatchedResources } from './watched-resources.js'

export interface ConnectedClients {
  readonly clients: Clients
  add(server: Server, session: string, state: ConnectionState): void
  /** The client of a connection of a 2025 revision. */
  sideOf(server: Server): ClientSide
  tellListChanged(what: 'tools' | 'offers'): void
  count(): number
}

export interface ConnectedClientsOptions {
  readonly offers: OffersView
  readonly watched: WatchedResources
  /** For those that are not connected but listen. */
  onResourceUpdated(uri: string): void
}

export function createConnectedClients(options: ConnectedClientsOptions): ConnectedClients {
  const { offers, watched } = options
  const sides = new Map<Server, ClientSide>()
  const bySession = new Map<string, Server>()

  return {
    add(server, session, state) {
      sides.set(server, legacyClientSide(server, state))
      bySession.set(session, server)
      server.onclose = () => {
        sides.delete(server)
        watched.drop(server)
        if (bySession.get(session) === server) bySession.delete(session)
      }
    },
    sideOf: (server) => sides.get(server)!,
    count: () => sides.size,
    tellListChanged(what) {
      for (const server of sides.keys()) {
        if (!hasShakenHands(server)) continue
        const told =
          what === 'tools'
            ? server.sendToolListChanged()
            : Promise.all([server.sendResourceListChanged(), server.sendPromptListChanged()])
        told.catch(() => {})
      }
    },
    clients: {
      of(session) {
        const server = bySession.get(session)
        return server === undefined || isModernServer(server) ? undefined : sides.get(server)
      },
      tellAll(notice) {
        for (const [server, side] of sides)
          if (hasShakenHands(server) && !isModernServer(server)) side.tell(notice)
      },
      resourceUpdated(from, updated) {
        for (const uri of offers.addressesOf(from, updated)) {
          options.onResourceUpdated(uri)
          for (const server of sides.keys()) {
            // To a client of 2026-07-28 the SDK sends what it listens for, and nothing else.
            if (isModernServer(server) || watched.isWatched(server, uri))
              server.sendResourceUpdated({ uri }).catch(() => {})
          }
        }
      },
    },
  }
}

/** Before, a client has no list that could be out of date. */
function hasShakenHands(server: Server): boolean {
  return server.transport !== undefined && server.getNegotiatedProtocolVersion() !== undefined
}
