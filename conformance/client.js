// Our upstream client, as the suite's client scenarios want to see it: `node client.js URL` connects, lists, calls every tool,
// reads what else there is, and ends. The suite looks on from the server's side. What a person or a model would answer is
// answered here, in the place of the client in front of the gateway; signing in follows the address as a browser would.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BadArgumentsError, UpstreamRpcError } from '../dist/errors.js'
import { openUpstreams } from '../dist/upstream/open-upstreams.js'
import { answerQuestion, sampleArguments, signInAsBrowser } from './play-client.js'

// The suite ends only the shell around us when it has waited long enough.
const outOfTime = setTimeout(() => process.exit(1), 28_000)

const url = process.argv.at(-1)
const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? ''
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}')
const client = {
  capabilities: { elicitation: { form: {} }, sampling: {}, roots: {} },
  ask: async (question) => answerQuestion(question),
  tell() {},
  takesInputRequired: false,
}
const home = mkdtempSync(join(tmpdir(), 'pml-conformance-client-'))

const upstreams = openUpstreams({
  servers: [
    {
      name: 'suite',
      transport: 'http',
      url,
      headers: {},
      auth: authOf(context),
      disabled: false,
      stateful: false,
      trusted: false,
      timeoutMs: 20_000,
      connectTimeoutMs: 20_000,
    },
  ],
  known: [],
  eras: {},
  offers: {},
  tried: [],
  clients: { of: () => client, tellAll() {}, resourceUpdated() {} },
  limits: {
    maxMessageBytes: 8 * 1024 * 1024,
    concurrentColdStarts: 1,
    concurrentCalls: 1,
    concurrentCallsPerServer: 1,
  },
  // The calls the suite prescribes hold a null where the schema wants a boolean.
  validateArguments: context.toolCalls === undefined,
  validateOutput: 'warn',
  clientInfo: { name: 'casys-pml', version: '0.1.0' },
  log: { debug: say, info: say, warn: say, error: say },
  redact: (text) => text,
  auth: { dataDirectory: home, onSecrets() {}, authorize: signInAsBrowser },
})

try {
  upstreams.start()
  await upstreams.settled({ timeoutMs: 22_000 })
  const [server] = upstreams.servers()
  if (server.status !== 'ready') throw new Error(`${server.status}: ${JSON.stringify(server)}`)
  await callTools()
  await readOffers()
} catch (error) {
  say(error.stack)
  process.exitCode = 1
} finally {
  await upstreams.close()
  rmSync(home, { recursive: true, force: true, maxRetries: 5 })
  clearTimeout(outOfTime)
}

async function callTools() {
  const tools = upstreams.tools()
  const calls =
    context.toolCalls ??
    tools.map(({ name, definition }) => ({ name, arguments: sampleArguments(definition, tools) }))
  for (const { name, arguments: args } of calls)
    await attempt(name, (request) =>
      upstreams.callTool({ ...request, tool: `suite:${name}`, arguments: args }),
    )
}

async function readOffers() {
  const { resources = [], prompts = [] } = upstreams.offers().suite ?? {}
  const send = (method, params) =>
    attempt(method, (request) => upstreams.sendRequest({ ...request, server: 'suite', method, params }))
  for (const { uri } of resources) await send('resources/read', { uri })
  for (const { name } of prompts) await send('prompts/get', { name })
}

/** A server that says no has answered, and samples do not please every schema; anything else is our failure. */
async function attempt(what, run) {
  const signal = new AbortController().signal
  try {
    say(`${what}: ${JSON.stringify(await run({ session: 'suite', signal, client }))}`)
  } catch (error) {
    if (!(error instanceof UpstreamRpcError || error instanceof BadArgumentsError)) throw error
    say(`${what}: ${error.message}`)
  }
}

/** What a user would have written into the configuration. */
function authOf({ client_id: clientId, client_secret: clientSecret, private_key_pem: privateKey, issuer }) {
  return {
    ...(clientId === undefined
      ? { clientMetadataUrl: 'https://conformance-test.local/client-metadata.json' }
      : { clientId }),
    ...(clientSecret !== undefined && { clientSecret }),
    ...(privateKey !== undefined && { privateKey }),
    ...(issuer !== undefined && { issuer }),
    ...(scenario.startsWith('auth/client-credentials') && { grant: 'client_credentials' }),
  }
}

function say(text, fields) {
  process.stderr.write(`${text}${fields === undefined ? '' : ` ${JSON.stringify(fields)}`}\n`)
}
