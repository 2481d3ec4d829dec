// A server of your own: rooms that can be booked. It speaks every revision of the protocol, and knows nothing of PML.
import { setTimeout as work } from 'node:timers/promises'
import { acceptedContent, inputRequired, McpServer, ResourceTemplate } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { z } from 'zod'

const rooms = ['attic', 'cellar'].map((name) => ({ name, uri: `room://${name}` }))
const booked = new Map()
const booking = z.object({ room: z.string(), hour: z.int().min(8).max(18) })
const consent = z.object({ sure: z.boolean().describe('Book it?') })
const text = (value) => [{ type: 'text', text: value }]

serveStdio(() => {
  const server = new McpServer(
    { name: 'rooms', version: '1.0.0' },
    { capabilities: { resources: { subscribe: true } } },
  )

  server.registerTool(
    'book_room',
    { description: 'Books a meeting room for one hour.', inputSchema: booking, outputSchema: booking },
    async (wanted, ctx) => {
      const { room, hour } = wanted
      // The question is an answer of its own; once the person has replied, the call is made again with the reply.
      if (ctx.mcpReq.inputResponses?.consent === undefined) {
        const message = `Book ${room} at ${hour}:00?`
        const question = inputRequired.elicit({ message, requestedSchema: consent })
        return inputRequired({ inputRequests: { consent: question } })
      }
      if (!acceptedContent(ctx.mcpReq.inputResponses, 'consent', consent)?.sure) {
        return { content: text('Not booked: the user does not want it.'), isError: true }
      }
      const { progressToken } = ctx.mcpReq._meta ?? {}
      for (const [done, message] of ['looking at the calendar', 'inviting', 'writing it down'].entries()) {
        const params = { progressToken, progress: done + 1, total: 3, message }
        if (progressToken !== undefined) await ctx.mcpReq.notify({ method: 'notifications/progress', params })
        await work(200)
      }
      booked.set(room, [...(booked.get(room) ?? []), hour])
      await server.server.sendResourceUpdated({ uri: `room://${room}` })
      return { content: text(JSON.stringify(wanted)), structuredContent: wanted }
    },
  )

  server.registerResource(
    'room',
    new ResourceTemplate('room://{name}', { list: () => ({ resources: rooms }) }),
    { description: 'The hours at which a room is taken', mimeType: 'application/json' },
    (uri, { name }) => ({ contents: [{ uri: uri.href, text: JSON.stringify(booked.get(name) ?? []) }] }),
  )

  // Older revisions subscribe by a request; with two rooms, everybody may be told of both.
  for (const method of ['resources/subscribe', 'resources/unsubscribe']) {
    server.server.setRequestHandler(method, () => ({}))
  }

  server.registerPrompt(
    'plan_meeting',
    { description: 'Finds a room for a meeting', argsSchema: z.object({ topic: z.string() }) },
    ({ topic }) => ({
      messages: [
        { role: 'user', content: { type: 'text', text: `Find a room to talk about ${topic}, and book it.` } },
      ],
    }),
  )
  return server
})
