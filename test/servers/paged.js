// A server with many tools on several pages: `paged.js 250` lists tool_0 .. tool_249, 40 a page; `endless` never ends.
import { objectSchema, serveRaw, textResult } from './raw-server.js'

const endless = process.argv[2] === 'endless'
const total = endless ? 1e9 : Number(process.argv[2] ?? 100)
const pageSize = 40

serveRaw({
  name: 'paged',
  tools: ({ cursor = '0' }) => {
    const start = Number(cursor)
    const end = Math.min(total, start + pageSize)
    const tools = Array.from({ length: end - start }, (_, index) => ({
      name: `tool_${start + index}`,
      description: `Tool number ${start + index}.`,
      inputSchema: objectSchema({ value: { type: 'number' } }),
    }))
    return end < total ? { tools, nextCursor: String(end) } : { tools }
  },
  call: ({ name }) => textResult(name),
})
