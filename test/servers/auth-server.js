// An MCP server behind OAuth and the authorization server that guards it, in one process on a free loopback port; the
// address of the MCP endpoint is the first line on standard output. The authorization server approves at once, as a browser
// with an open session would see it. `--settings JSON` and POST /control {setting: value} say how it behaves, GET /control
// tells the settings and what it was asked:
//
//   lifetime       seconds an access token lasts (3600)        rotate       a refresh token is used once (true)
//   fail           token requests that fail from now on        failWith     status to fail with, or "drop" (503)
//   invalidGrant   refresh tokens are refused                  unknownClient  the registration is forgotten
//   registration   clients may register themselves (true)      documents    client metadata documents are read
//   resourceMetadata  RFC 9728 is published (true)             metadata     RFC 8414 is published (true)
//   issuer         another issuer in the metadata              iss          another one in the redirect; null: none
//   deny           the person says no                          state        another state in the redirect
//   scopeFor       {tool: scope} that a call needs             scopes       scopes_supported of the resource
//   device         a device endpoint is published (true)       pending      polls until a device is approved (1), or "deny"
//   slowDown       polls that came too soon
//   clients        {id: {secret} | {jwk}} known by hand        refuseAll    every access token is refused
import { createHash, createPublicKey, randomUUID, verify } from 'node:crypto'
import { createServer } from 'node:http'
import { parseArgs } from 'node:util'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler } from '@modelcontextprotocol/server'
import { createEchoServer } from './echo-tools.js'

const { values } = parseArgs({ options: { settings: { type: 'string', default: '{}' } } })
const settings = {
  lifetime: 3600,
  rotate: true,
  fail: 0,
  failWith: 503,
  registration: true,
  resourceMetadata: true,
  metadata: true,
  device: true,
  pending: 1,
  scopeFor: {},
  clients: {},
  ...JSON.parse(values.settings),
}
const asked = []
const clients = new Map()
const codes = new Map()
const devices = new Map()
const accessTokens = new Map()
const refreshTokens = new Map()
const handleMcp = toNodeHandler(createMcpHandler(() => createEchoServer('guarded')))
let origin = ''

const routes = {
  'GET /.well-known/oauth-protected-resource/mcp': resourceMetadata,
  'GET /.well-known/oauth-authorization-server': serverMetadata,
  'POST /register': register,
  'GET /authorize': authorize,
  'POST /device': beginDevice,
  'POST /token': token,
  'POST /revoke': revoke,
}

const server = createServer(async (request, response) => {
  const url = new URL(request.url, origin)
  if (url.pathname === '/control') return control(request, response)
  if (url.pathname === '/mcp') return guard(request, response)
  const route = routes[`${request.method} ${url.pathname}`]
  const entry = { path: url.pathname }
  asked.push(entry)
  if (route === undefined) return send(response, 404, { error: 'not_found' })
  await route({ request, response, url, entry })
})

function guard(request, response) {
  const challenge = settings.resourceMetadata
    ? `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`
    : 'Bearer realm="mcp"'
  const given = accessTokens.get(/^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1])
  const isGood = given && !given.family.revoked && given.expiresAt > Date.now() && !settings.refuseAll
  asked.push({ path: '/mcp', status: isGood ? 200 : 401, method: request.headers['mcp-method'] })
  if (!isGood) return response.writeHead(401, { 'www-authenticate': challenge }).end()
  const wanted = settings.scopeFor[request.headers['mcp-name']]
  if (wanted !== undefined && !given.scope.split(' ').includes(wanted)) {
    const header = `${challenge}, error="insufficient_scope", scope="${wanted}"`
    return response.writeHead(403, { 'www-authenticate': header }).end()
  }
  return handleMcp(request, response)
}

async function control(request, response) {
  if (request.method === 'POST') Object.assign(settings, await readJson(request))
  if (settings.unknownClient) clients.clear()
  send(response, 200, { settings, asked })
}

function resourceMetadata({ response }) {
  if (!settings.resourceMetadata) return send(response, 404, {})
  send(response, 200, {
    resource: `${origin}/mcp`,
    authorization_servers: [origin],
    ...(settings.scopes && { scopes_supported: settings.scopes }),
  })
}

function serverMetadata({ response }) {
  if (!settings.metadata) return send(response, 404, {})
  send(response, 200, {
    issuer: settings.issuer ?? origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    revocation_endpoint: `${origin}/revoke`,
    response_types_supported: ['code'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'private_key_jwt'],
    authorization_response_iss_parameter_supported: settings.iss !== null,
    client_id_metadata_document_supported: settings.documents === true,
    ...(settings.registration && { registration_endpoint: `${origin}/register` }),
    ...(settings.device && { device_authorization_endpoint: `${origin}/device` }),
  })
}

async function register({ request, response, entry }) {
  const metadata = await readJson(request)
  if (!settings.registration) return send(response, 403, { error: 'access_denied' })
  const id = `client-${randomUUID()}`
  entry.client = id
  clients.set(id, metadata)
  send(response, 201, { ...metadata, client_id: id })
}

/** Who a client id belongs to, whichever way it became known. */
function clientOf(id) {
  if (settings.documents && id?.startsWith('https://')) return {}
  return settings.clients[id] ?? clients.get(id)
}

function authorize({ response, url, entry }) {
  const query = Object.fromEntries(url.searchParams)
  const client = clientOf(query.client_id)
  const redirects = client?.redirect_uris ?? [query.redirect_uri]
  Object.assign(entry, { scope: query.scope, resource: query.resource, client: query.client_id })
  // What is wrong here is shown to the person: nobody is sent to an address that is not the client's.
  if (client === undefined || !redirects.includes(query.redirect_uri)) return send(response, 400, query)
  if (query.code_challenge_method !== 'S256' || !query.code_challenge) return send(response, 400, query)
  const back = new URL(query.redirect_uri)
  back.searchParams.set('state', settings.state ?? query.state)
  if (settings.iss !== null) back.searchParams.set('iss', settings.iss ?? origin)
  if (settings.deny) back.searchParams.set('error', 'access_denied')
  else {
    const code = `code-${randomUUID()}`
    codes.set(code, query)
    back.searchParams.set('code', code)
  }
  response.writeHead(302, { location: back.href }).end()
}

async function beginDevice({ request, response }) {
  const { client_id, scope } = await readForm(request)
  if (clientOf(client_id) === undefined) return send(response, 400, { error: 'invalid_client' })
  const code = `device-${randomUUID()}`
  devices.set(code, { client_id, scope, left: settings.pending })
  send(response, 200, {
    device_code: code,
    user_code: 'WDJB-MJHT',
    verification_uri: `${origin}/activate`,
    expires_in: 600,
    interval: 1,
  })
}

async function token({ request, response, entry }) {
  const form = await readForm(request)
  entry.grant = form.grant_type
  if (settings.fail > 0) {
    settings.fail -= 1
    entry.status = settings.failWith
    if (settings.failWith === 'drop') return request.socket.destroy()
    return response.writeHead(settings.failWith, { 'content-type': 'text/html' }).end('<p>Back soon.</p>')
  }
  const granted = grant(form, request)
  if (granted.error !== undefined) {
    entry.status = granted.error
    return send(response, granted.error === 'invalid_client' ? 401 : 400, granted)
  }
  entry.status = 200
  send(response, 200, granted)
}

function grant(form, request) {
  const id = form.client_id ?? basic(request)?.[0]
  const client = clientOf(id)
  if (client === undefined || !proves(client, form, request)) return { error: 'invalid_client' }
  if (settings.resourceMetadata && form.grant_type !== 'refresh_token' && form.resource !== `${origin}/mcp`) {
    return { error: 'invalid_target' }
  }
  switch (form.grant_type) {
    case 'authorization_code':
      return grantForCode(form, id)
    case 'refresh_token':
      return grantForRefresh(form)
    case 'client_credentials':
      return issue({ scope: form.scope ?? '', family: {} }, false)
    default:
      return grantForDevice(form)
  }
}

function grantForCode({ code, redirect_uri, code_verifier }, id) {
  const query = codes.get(code)
  codes.delete(code)
  const challenge = createHash('sha256')
    .update(code_verifier ?? '')
    .digest('base64url')
  const fits =
    query?.client_id === id && query.redirect_uri === redirect_uri && query.code_challenge === challenge
  return fits ? issue({ scope: query.scope ?? '', family: {} }, true) : { error: 'invalid_grant' }
}

function grantForRefresh({ refresh_token }) {
  const known = refreshTokens.get(refresh_token)
  if (known === undefined || known.family.revoked || settings.invalidGrant) return { error: 'invalid_grant' }
  // Used twice: somebody has stolen it, so nobody is believed any more.
  if (known.used) {
    known.family.revoked = true
    return { error: 'invalid_grant', error_description: 'refresh token reused' }
  }
  if (settings.rotate) known.used = true
  return issue(known, settings.rotate)
}

function grantForDevice({ device_code }) {
  const device = devices.get(device_code)
  if (device === undefined) return { error: 'expired_token' }
  if (device.left === 'deny') return { error: 'access_denied' }
  if (settings.slowDown > 0) {
    settings.slowDown -= 1
    return { error: 'slow_down' }
  }
  if (device.left > 0) {
    device.left -= 1
    return { error: 'authorization_pending' }
  }
  devices.delete(device_code)
  return issue({ scope: device.scope ?? '', family: {} }, true)
}

function issue({ scope, family }, withRefresh) {
  const access = `at-${randomUUID()}`
  accessTokens.set(access, { scope, family, expiresAt: Date.now() + settings.lifetime * 1000 })
  const refresh = `rt-${randomUUID()}`
  if (withRefresh) refreshTokens.set(refresh, { scope, family })
  return {
    access_token: access,
    token_type: 'Bearer',
    expires_in: settings.lifetime,
    ...(scope && { scope }),
    ...(withRefresh && { refresh_token: refresh }),
  }
}

async function revoke({ request, response, entry }) {
  const form = await readForm(request)
  entry.hint = form.token_type_hint
  const known = refreshTokens.get(form.token) ?? accessTokens.get(form.token)
  if (known) known.family.revoked = true
  response.writeHead(200).end()
}

function proves(client, form, request) {
  if (client.secret !== undefined) return basic(request)?.[1] === client.secret
  if (client.jwk === undefined) return true
  const [head, body, signature] = (form.client_assertion ?? '').split('.')
  if (signature === undefined) return false
  const key = createPublicKey({ key: client.jwk, format: 'jwk' })
  const claims = JSON.parse(Buffer.from(body, 'base64url').toString())
  const signed = Buffer.from(`${head}.${body}`)
  const fits = verify(
    'sha256',
    signed,
    { key, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  )
  return fits && claims.aud === origin && claims.sub === form.client_id
}

function basic(request) {
  const given = /^Basic (.+)$/.exec(request.headers.authorization ?? '')?.[1]
  return given && Buffer.from(given, 'base64').toString().split(':')
}

async function readText(request) {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

const readJson = async (request) => JSON.parse((await readText(request)) || '{}')
const readForm = async (request) => Object.fromEntries(new URLSearchParams(await readText(request)))

function send(response, status, body) {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

server.listen(0, '127.0.0.1', () => {
  origin = `http://127.0.0.1:${server.address().port}`
  process.stdout.write(`${origin}/mcp\n`)
})
process.stdin.on('end', () => process.exit(0)).resume()
