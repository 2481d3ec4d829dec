import { setTimeout as sleep } from 'node:timers/promises'
import type { AuthRecord } from '../../auth/auth-record.js'
import type { Challenge } from '../../auth/discover-authorization-server.js'
import { signInState } from '../../auth/sign-in-state.js'
import { openTokenFile, type TokenFile } from '../../auth/token-file.js'
import { dataDirectory } from '../../config/data-directory.js'
import { loadConfig } from '../../config/load-config.js'
import { AuthError, UsageError } from '../../errors.js'
import { closestName } from '../../model/closest-name.js'
import type { PmlConfig } from '../../model/config.js'
import type { HttpServerConfig } from '../../model/server.js'
import { type CommandContext, commonArgs, defineCliCommand } from '../cli-command.js'
import { describeSignIn, type ListedSignIn, signInTable } from '../describe-sign-in.js'
import { type Io, printJson, printLine } from '../io.js'
import { hasBrowser } from '../open-browser.js'

const args = {
  server: { type: 'positional', required: false, description: 'The server to sign in to; none lists them' },
  ...commonArgs,
  browser: { type: 'boolean', description: 'Open the browser; --no-browser only prints the address' },
  device: { type: 'boolean', description: 'Sign in on another device, by a code to enter there' },
  'sign-out': { type: 'boolean', description: 'Forget the sign-in, and revoke it where possible' },
  timeout: { type: 'string', valueHint: 'seconds', description: 'How long to wait for you (300)' },
} as const

export const authCommand = defineCliCommand({
  name: 'auth',
  summary: 'Sign in to servers that ask for it',
  args,
  examples: ['pml auth', 'pml auth notion', 'pml auth notion --device', 'pml auth notion --sign-out'],
  notes:
    'The address is printed. Where the browser is on another machine, paste the address it ends at into this terminal.\n' +
    'A gateway that is running takes a sign-in up at once.',
  async run({ args, io }) {
    const home = dataDirectory(io.env)
    const config = await loadConfig({ file: args.config, env: io.env, cwd: io.cwd, home })
    if (args.server === undefined) return list(config, home, args.json === true, io)
    const server = findServer(args.server, config)
    const state: ListedSignIn = args['sign-out']
      ? await leave(server, config, home, io)
      : await enter(server, config, home, { args, io })
    if (args.json) printJson(io, { server: server.name, ...state })
    else printLine(io, describeSignIn(server.name, state))
    return 0
  },
})

async function enter(
  server: HttpServerConfig,
  config: PmlConfig,
  home: string,
  { args: chosen, io }: Pick<CommandContext<typeof args>, 'args' | 'io'>,
): Promise<ListedSignIn> {
  const seconds = secondsOf(chosen.timeout)
  const file = openTokenFile(home, server)
  const kept = await file.read().catch(() => undefined)
  const fetch = await fetchFor(config)
  const challenge = await findChallenge(server, kept, fetch)
  if (challenge === undefined) return { state: 'open' }
  const timer = new AbortController()
  const timeUp = setTimeout(() => timer.abort(tooLate(server.name, seconds)), seconds * 1000)
  const deps = { file, fetch, challenge, signal: timer.signal }
  try {
    const record = await signInBy(server, chosen, { ...deps, kept, io })
    return signInState(server, record, Date.now())
  } finally {
    clearTimeout(timeUp)
  }
}

interface SignInDeps {
  readonly file: TokenFile
  readonly fetch: Fetch
  readonly challenge: Challenge
  readonly kept: AuthRecord | undefined
  readonly signal: AbortSignal
  readonly io: Io
}

async function signInBy(
  server: HttpServerConfig,
  { device, browser }: { readonly device?: boolean | undefined; readonly browser?: boolean | undefined },
  deps: SignInDeps,
): Promise<AuthRecord> {
  const { file, fetch, challenge, io } = deps
  if (server.auth !== undefined && server.auth !== 'none' && server.auth.grant === 'client_credentials') {
    const { signInAsMachine } = await import('../../auth/sign-in-as-machine.js')
    const { explainSignIn } = await import('../../auth/explain-sign-in.js')
    const record = await signInAsMachine(server, { fetch, challenge, kept: undefined }).catch(
      (error: unknown) => {
        throw explainSignIn(error, server.name)
      },
    )
    await file.write(record)
    return record
  }
  if (device) {
    const { signInByDevice } = await import('../../auth/sign-in-by-device.js')
    const show = (code: { verification_uri: string; user_code: string }): void => {
      io.stderr.write(`Go to ${code.verification_uri} on any device and enter ${code.user_code}\n`)
    }
    const wait = (ms: number): Promise<unknown> =>
      sleep(ms, undefined, { signal: deps.signal }).catch(() => {})
    return signInByDevice(server, { ...deps, show, wait })
  }
  const { signInByBrowser } = await import('../sign-in-by-browser.js')
  return signInByBrowser(server, { ...deps, mayOpenBrowser: browser ?? hasBrowser(io.env) })
}

/** What the server asks for, if anything; it may also let everybody list its tools and ask only who calls one. */
async function findChallenge(
  server: HttpServerConfig,
  kept: AuthRecord | undefined,
  fetch: Fetch,
): Promise<Challenge | undefined> {
  const { askForChallenge } = await import('../../auth/ask-for-challenge.js')
  const challenge = await askForChallenge(server, fetch)
  if (challenge !== undefined) return challenge
  if (kept !== undefined || server.auth !== undefined) return {}
  const { discoverAuthorizationServer } = await import('../../auth/discover-authorization-server.js')
  const { isPublished } = await discoverAuthorizationServer(server, {}, fetch)
  return isPublished ? {} : undefined
}

async function leave(
  server: HttpServerConfig,
  config: PmlConfig,
  home: string,
  io: Io,
): Promise<ListedSignIn> {
  const { signOut } = await import('../../auth/sign-out.js')
  const file = openTokenFile(home, server)
  const { wasSignedIn, revoked } = await signOut(server, { file, fetch: await fetchFor(config) })
  if (wasSignedIn && !revoked) {
    io.stderr.write('The authorization server was not told: the tokens it gave end by themselves.\n')
  }
  return { state: wasSignedIn ? 'needed' : 'none' }
}

async function list(config: PmlConfig, home: string, json: boolean, io: Io): Promise<number> {
  const fetch = await fetchFor(config)
  const servers = config.servers.filter((server) => server.transport !== 'stdio')
  const rows = await Promise.all(
    servers.map(async (server) => ({ name: server.name, signIn: await look(server, home, fetch) })),
  )
  if (json) printJson(io, { servers: rows.map(({ name, signIn }) => ({ name, ...signIn })) })
  else printLine(io, signInTable(rows, io.stdout.columns))
  return 0
}

async function look(server: HttpServerConfig, home: string, fetch: Fetch): Promise<ListedSignIn> {
  try {
    const state = signInState(server, await openTokenFile(home, server).read(), Date.now())
    if (state.state !== 'none' || server.disabled) return state
  } catch {
    return { state: 'broken' }
  }
  const { askForChallenge } = await import('../../auth/ask-for-challenge.js')
  return askForChallenge(server, fetch).then(
    (challenge) => ({ state: challenge === undefined ? 'open' : 'needed' }),
    () => ({ state: 'unreachable' }),
  )
}

function findServer(name: string, { servers }: PmlConfig): HttpServerConfig {
  const server = servers.find((one) => one.name === name)
  if (server === undefined) {
    const closest = closestName(
      name,
      servers.map((one) => one.name),
    )
    const hint =
      closest === undefined ? 'List those with a sign-in: pml auth' : `Did you mean: pml auth ${closest}`
    throw new UsageError(`No server "${name}" in the configuration.`, hint)
  }
  if (server.transport === 'stdio') {
    throw new UsageError(
      `Server "${name}" is a program on this machine: there is nowhere to sign in to.`,
      'Give it what it needs by env in the configuration.',
    )
  }
  const { state } = signInState(server, undefined, 0)
  if (state === 'header' || state === 'off') {
    const why = state === 'header' ? 'has an Authorization header configured' : 'has auth: none configured'
    throw new UsageError(
      `Server "${name}" ${why}, which wins.`,
      'Take it out of the configuration to sign in.',
    )
  }
  return server
}

type Fetch = Awaited<ReturnType<typeof fetchFor>>

async function fetchFor({ limits }: PmlConfig) {
  const { limitedFetch } = await import('../../upstream/limited-fetch.js')
  return limitedFetch(limits.maxMessageBytes)
}

function secondsOf(text: string | undefined): number {
  if (text === undefined) return 300
  const seconds = Number(text)
  if (/^\d+$/.test(text) && seconds >= 1 && seconds <= 86_400) return seconds
  throw new UsageError(`--timeout: expected seconds from 1 to 86400, got "${text}".`)
}

function tooLate(server: string, seconds: number): AuthError {
  return new AuthError(
    server,
    `nobody signed in within ${seconds} s.`,
    `Run pml auth ${server} again; --timeout gives more time.`,
  )
}
