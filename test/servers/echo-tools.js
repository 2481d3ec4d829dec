// The tools of the well-behaved fixture servers, shared by echo.js (stdio) and http-echo.js (Streamable HTTP).
import { setTimeout as wait } from 'node:timers/promises'
import { McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'

const text = (value) => ({ content: [{ type: 'text', text: value }] })

/** @param {string} name */
export function createEchoServer(name) {
  const server = new McpServer({ name, version: '1.0.0' }, { capabilities: { tools: { listChanged: true } } })

  server.registerTool(
    'echo',
    {
      title: 'Echo',
      description: 'Gives back the text it was given.',
      inputSchema: z.object({ text: z.string().describe('What to give back') }),
      annotations: { readOnlyHint: true },
    },
    ({ text: given }) => text(given),
  )

  server.registerTool(
    'add',
    {
      description: 'Adds two numbers.',
      inputSchema: z.object({ a: z.number(), b: z.number() }),
      outputSchema: z.object({ sum: z.number() }),
      annotations: { readOnlyHint: true },
    },
    ({ a, b }) => ({ ...text(JSON.stringify({ sum: a + b })), structuredContent: { sum: a + b } }),
  )

  server.registerTool(
    'sleep',
    {
      description: 'Waits so many milliseconds, reporting progress at its start and half way, then says so.',
      inputSchema: z.object({ ms: z.number().int().min(0) }),
    },
    async ({ ms }, ctx) => {
      const signal = ctx.mcpReq.signal
      await progress(ctx, 0)
      await wait(ms / 2, undefined, { signal })
      await progress(ctx, 0.5)
      await wait(ms / 2, undefined, { signal })
      return text(`slept ${ms} ms`)
    },
  )

  server.registerTool(
    'env',
    { description: 'Gives back the whole environment of this process as JSON.', inputSchema: z.object({}) },
    () => ({ ...text(JSON.stringify(process.env)), structuredContent: { ...process.env } }),
  )

  server.registerTool(
    'big',
    {
      description: 'Answers with a text of so many bytes.',
      inputSchema: z.object({ bytes: z.number().int().min(0) }),
    },
    ({ bytes }) => text('x'.repeat(bytes)),
  )

  server.registerTool(
    'fail',
    { description: 'Fails as a tool: an error result.', inputSchema: z.object({ message: z.string() }) },
    ({ message }) => ({ ...text(message), isError: true }),
  )

  return server
}

async function progress(ctx, value) {
  const progressToken = ctx.mcpReq._meta?.progressToken
  if (progressToken === undefined) return
  await ctx.mcpReq.notify({
    method: 'notifications/progress',
    params: { progressToken, progress: value, total: 1 },
  })
}
