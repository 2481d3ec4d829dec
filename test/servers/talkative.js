// A server that uses everything a server can say to its client: `--era legacy` or `--era modern`, over standard input and
// output, or with `--http` over Streamable HTTP on a free loopback port that is told as the first line.
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { parseArgs } from 'node:util'
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler, inputRequired, Server } from '@modelcontextprotocol/server'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'

const { values } = parseArgs({
  options: { era: { type: 'string', default: 'legacy' }, http: { type: 'boolean', default: false } },
})
const isModern = values.era === 'modern'

/** Shared by all instances of this process, as a real server's data are. */
const world = { resources: ['note://a'], prompts: ['greet', 'ask_prompt'], cancelled: 0, waiting: 0 }
const instances = new Set()
let handler

const none = { type: 'object', properties: {} }
const text = (value) => ({ content: [{ type: 'text', text: String(value) }] })
const question = {
  message: 'What is your name?',
  requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
}
const sampling = {
  messages: [{ role: 'user', content: { type: 'text', text: 'Say something.' } }],
  maxTokens: 10,
}

const tools = {
  ask_name: {
    async call(_args, ctx) {
      const answer = await ask(ctx, 'name', inputRequired.elicit(question), () =>
        ctx.mcpReq.elicitInput(question),
      )
      return (
        answer.pending ?? text(answer.action === 'accept' ? `Hello ${answer.content.name}` : answer.action)
      )
    },
  },
  ask_twice: {
    async call(_args, ctx) {
      if (!isModern) {
        const one = await ctx.mcpReq.elicitInput(question)
        const two = await ctx.mcpReq.elicitInput(question)
        return text(`${one.content.name} and ${two.content.name}`)
      }
      const state = ctx.mcpReq.requestState()
      const given = ctx.mcpReq.inputResponses?.name?.content?.name
      if (given === undefined)
        return inputRequired({ inputRequests: { name: inputRequired.elicit(question) } })
      if (state === undefined)
        return inputRequired({ inputRequests: { name: inputRequired.elicit(question) }, requestState: given })
      return text(`${state} and ${given}`)
    },
  },
  ask_model: {
    async call(_args, ctx) {
      const answer = await ask(ctx, 'model', inputRequired.createMessage(sampling), () =>
        ctx.mcpReq.requestSampling(sampling),
      )
      return answer.pending ?? text(answer.content.text)
    },
  },
  ask_roots: {
    async call(_args, ctx) {
      const answer = await ask(ctx, 'roots', inputRequired.listRoots(), () =>
        ctx.mcpReq.send({ method: 'roots/list' }),
      )
      return answer.pending ?? text(answer.roots.map((root) => root.uri).join(' '))
    },
  },
  slowly: {
    async call(_args, ctx) {
      const progressToken = ctx.mcpReq._meta?.progressToken
      for (let progress = 1; progress <= 3; progress += 1) {
        if (progressToken !== undefined)
          await ctx.mcpReq.notify({
            method: 'notifications/progress',
            params: { progressToken, progress, total: 3, message: `step ${progress}` },
          })
      }
      await new Promise((resolve) => {
        world.finish = resolve
      })
      return text('done')
    },
  },
  finish: {
    async call() {
      world.finish()
      return text('finished')
    },
  },
  wait: {
    call: (_args, ctx) =>
      new Promise((resolve) => {
        world.waiting += 1
        ctx.mcpReq.signal.addEventListener('abort', () => {
          world.waiting -= 1
          world.cancelled += 1
          resolve(text('cancelled'))
        })
      }),
  },
  ask_late: {
    async call(_args, ctx) {
      await new Promise((resolve) => ctx.mcpReq.signal.addEventListener('abort', resolve))
      const outcome = await ctx.mcpReq.elicitInput(question).then(
        (answer) => answer.content.name,
        (error) => error.message,
      )
      writeFileSync(process.env.LATE_FILE, outcome)
      return text('nobody waits for this')
    },
  },
  waits: { call: async () => text(`${world.waiting} waiting, ${world.cancelled} cancelled`) },
  say: {
    async call(_args, ctx) {
      await ctx.mcpReq.log('debug', 'a detail', 'talkative')
      await ctx.mcpReq.log('warning', 'a warning', 'talkative')
      return text('said')
    },
  },
  structured: {
    outputSchema: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
    call: async () => ({ ...text('{"n":7}'), structuredContent: { n: 7 } }),
  },
  misfit: {
    outputSchema: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
    call: async () => ({ ...text('{"n":"seven"}'), structuredContent: { n: 'seven' } }),
  },
  link: { call: async () => ({ content: [{ type: 'resource_link', uri: 'hidden://b', name: 'b' }] }) },
  meta: { call: async (_args, ctx) => text(JSON.stringify(ctx.mcpReq._meta ?? {})) },
  touch: {
    async call() {
      handler?.notify.resourceUpdated('note://a')
      for (const server of instances) server.sendResourceUpdated({ uri: 'note://a' }).catch(() => {})
      return text('touched')
    },
  },
  grow: {
    async call() {
      world.resources.push(`note://${world.resources.length}`)
      world.prompts.push(`prompt${world.prompts.length}`)
      handler?.notify.resourcesChanged()
      handler?.notify.promptsChanged()
      for (const server of instances) {
        server.sendResourceListChanged().catch(() => {})
        server.sendPromptListChanged().catch(() => {})
      }
      return text('grown')
    },
  },
}

async function ask(ctx, key, request, push) {
  if (!isModern) return push()
  const given = ctx.mcpReq.inputResponses?.[key]
  return given ?? { pending: inputRequired({ inputRequests: { [key]: request } }) }
}

function createTalkative() {
  const server = new Server(
    { name: 'talkative', version: '1.0.0' },
    {
      capabilities: {
        tools: { listChanged: true },
        resources: { listChanged: true, subscribe: true },
        prompts: { listChanged: true },
        completions: {},
        logging: {},
      },
    },
  )
  server.setRequestHandler('tools/list', () => ({
    tools: Object.entries(tools).map(([name, { outputSchema }]) => ({
      name,
      description: `Does ${name}.`,
      inputSchema: none,
      ...(outputSchema && { outputSchema }),
    })),
  }))
  server.setRequestHandler('tools/call', ({ params }, ctx) => tools[params.name].call(params.arguments, ctx))
  server.setRequestHandler('resources/list', () => ({
    resources: world.resources.map((uri) => ({ uri, name: uri })),
  }))
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [{ uriTemplate: 'note://of/{name}', name: 'of' }],
  }))
  server.setRequestHandler('resources/read', ({ params: { uri } }) => {
    if (!/^(note|hidden):/.test(uri)) throw Object.assign(new Error(`No ${uri}`), { code: -32602 })
    return { contents: [{ uri, text: `the text of ${uri}` }] }
  })
  server.setRequestHandler('resources/subscribe', () => ({}))
  server.setRequestHandler('resources/unsubscribe', () => ({}))
  server.setRequestHandler('prompts/list', () => ({
    prompts: world.prompts.map((name) => ({ name, arguments: [{ name: 'who' }] })),
  }))
  server.setRequestHandler('prompts/get', async ({ params }, ctx) => {
    const say = (words) => ({ messages: [{ role: 'user', content: { type: 'text', text: words } }] })
    if (params.name !== 'ask_prompt') return say(`${params.name} ${params.arguments?.who ?? 'nobody'}`)
    const answer = await ask(ctx, 'name', inputRequired.elicit(question), () =>
      ctx.mcpReq.elicitInput(question),
    )
    return answer.pending ?? say(`greet ${answer.content.name}`)
  })
  server.setRequestHandler('completion/complete', ({ params }) => ({
    completion: { values: [`${params.ref.name ?? params.ref.uri}:${params.argument.value}x`] },
  }))
  instances.add(server)
  server.onclose = () => instances.delete(server)
  return server
}

if (!values.http) {
  if (isModern) serveStdio(createTalkative, { legacy: 'reject' })
  else await createTalkative().connect(new StdioServerTransport())
} else {
  handler = createMcpHandler(createTalkative, { legacy: 'reject' })
  const modern = toNodeHandler(handler)
  const sessions = new Map()
  const legacy = async (request, response) => {
    const known = sessions.get(request.headers['mcp-session-id'])
    if (known !== undefined) return known.handleRequest(request, response)
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => sessions.set(id, transport),
    })
    await createTalkative().connect(transport)
    return transport.handleRequest(request, response)
  }
  const server = createServer((request, response) => void (isModern ? modern : legacy)(request, response))
  server.listen(0, '127.0.0.1', () => {
    process.stdout.write(`http://127.0.0.1:${server.address().port}/mcp\n`)
  })
  process.stdin.on('end', () => process.exit(0)).resume()
}
