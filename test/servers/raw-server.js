// Not a server itself: the raw protocol (newline-delimited JSON-RPC, 2025-06-18) for fixtures that must misbehave.
import { createInterface } from 'node:readline'

export function send(message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
}

export const textResult = (text) => ({ content: [{ type: 'text', text }] })

/**
 * Answers the handshake, tools/list and ping; everything else goes to `handlers` by method.
 * A handler returns a result, or undefined when it answers (or does not) by itself.
 *
 * @param {{name: string, tools(params: object): object[] | object, call?(params: object, id: unknown): unknown,
 *   handlers?: Record<string, (params: object, id: unknown) => unknown>, capabilities?: object}} options
 */
export function serveRaw({
  name,
  tools,
  call,
  handlers = {},
  capabilities = { tools: { listChanged: true } },
}) {
  const known = {
    initialize: (params) => ({
      protocolVersion: params.protocolVersion,
      capabilities,
      serverInfo: { name, version: '1.0.0' },
    }),
    ping: () => ({}),
    'tools/list': (params) => {
      const listed = tools(params ?? {})
      return Array.isArray(listed) ? { tools: listed } : listed
    },
    'tools/call': (params, id) => call?.(params, id),
    ...handlers,
  }
  const lines = createInterface({ input: process.stdin })
  lines.on('line', async (line) => {
    const { id, method, params } = JSON.parse(line)
    const handler = Object.hasOwn(known, method) ? known[method] : undefined
    if (handler === undefined) {
      if (id !== undefined) send({ id, error: { code: -32601, message: `No method ${method}` } })
      return
    }
    try {
      const result = await handler(params, id)
      if (id !== undefined && result !== undefined) send({ id, result })
    } catch (error) {
      send({ id, error: { code: error.code ?? -32603, message: error.message, data: error.data } })
    }
  })
  // A server whose standard input is closed has no client any more.
  lines.on('close', () => process.exit(0))
}

export const objectSchema = (properties = {}, required = []) => ({ type: 'object', properties, required })
