import type { JSONRPCMessage } from '@modelcontextprotocol/server'
import { listenedResources } from './listened-resources.js'

/**
 * On a stream the SDK serves `subscriptions/listen` by itself. A listen that is about resources is held until the servers
 * have been asked to tell of them, and remembered until the client cancels it or goes.
 */
export interface StreamListens {
  /** True when the message was taken; it is delivered later. */
  take(message: JSONRPCMessage): boolean
  close(): void
}

export interface StreamListensOptions {
  watchListened(watcher: object, message: unknown): Promise<void>
  unwatch(watcher: object): void
  deliver(message: JSONRPCMessage): void
}

export function createStreamListens(options: StreamListensOptions): StreamListens {
  const watchers = new Map<unknown, object>()
  return {
    take(message) {
      if (!('method' in message)) return false
      if (message.method === 'notifications/cancelled') {
        const id = message.params?.requestId
        const watcher = watchers.get(id)
        if (watcher !== undefined) options.unwatch(watcher)
        watchers.delete(id)
        return false
      }
      if (!('id' in message) || (listenedResources(message) ?? []).length === 0) return false
      const { id } = message
      const replaced = watchers.get(id)
      if (replaced !== undefined) options.unwatch(replaced)
      const watcher = {}
      watchers.set(id, watcher)
      void options.watchListened(watcher, message).then(() => {
        if (watchers.get(id) === watcher) options.deliver(message)
      })
      return true
    },
    close() {
      for (const watcher of watchers.values()) options.unwatch(watcher)
      watchers.clear()
    },
  }
}
