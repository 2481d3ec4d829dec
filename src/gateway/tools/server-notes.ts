import { describeStart } from '../../model/describe-start.js'
import type { JsonObject } from '../../model/json.js'
import type { ServerState } from '../../model/server.js'

/** Servers whose tools are missing or may be out of date, and why: an agent must not conclude that a tool does not exist. */
export function serverNotes(servers: readonly ServerState[]): readonly JsonObject[] {
  return servers.flatMap((server) => {
    if (server.status === 'ready') return []
    if (server.status === 'disabled') return { name: server.name, status: 'disabled' }
    if (server.status === 'down')
      return {
        name: server.name,
        status: 'down',
        ...(server.trouble && { trouble: server.trouble.message, hint: server.trouble.hint }),
      }
    const doing = describeStart(server, Date.now())
    return { name: server.name, status: 'loading', ...(doing !== undefined && { doing }) }
  })
}

export function describeNotes(notes: readonly JsonObject[]): string {
  return notes
    .map((note) => {
      const more = note.trouble ? `: ${note.trouble} ${note.hint}` : note.doing ? ` (${note.doing})` : ''
      return `${note.name} is ${note.status}${more}`
    })
    .join('; ')
}

/** Servers that might have a tool and cannot say yet. */
export function notReady(servers: readonly ServerState[]): readonly string[] {
  return servers
    .filter((server) => server.status !== 'ready' && server.status !== 'disabled')
    .map((server) => server.name)
}
