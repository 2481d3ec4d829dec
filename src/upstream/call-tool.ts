/** One call of one tool, from its id to its result. What is refused here never reaches a server. */
import {
  BadArgumentsError,
  CallAbortedError,
  PmlError,
  ToolNotFoundError,
  ToolQuarantinedError,
  UpstreamError,
} from '../errors.js'
import { closestNames } from '../model/closest-name.js'
import { isCallable, parseToolId, type Tool } from '../model/tool.js'
import type { CallTool, ToolCall, ToolResult } from '../model/tool-call.js'
import type { Catalogue } from './catalogue.js'
import type { Semaphore } from './semaphore.js'
import type { ServerLink } from './server-link.js'

export interface CallDeps {
  readonly catalogue: Catalogue
  readonly links: ReadonlyMap<string, ServerLink>
  readonly calls: Semaphore
  callsOf(server: string): Semaphore
  /** Throws BadArgumentsError. */
  checkArguments(tool: Tool, args: ToolCall['arguments']): void | Promise<void>
}

export function createCallTool(deps: CallDeps): CallTool {
  return async (call) => {
    const { tool, link } = resolve(call.tool, deps)
    if (call.signal.aborted) throw new CallAbortedError(call.tool)
    // Awaited only when there is something to wait for: most calls find their validator ready.
    const checking = deps.checkArguments(tool, call.arguments)
    if (checking !== undefined) await checking
    const limit = createLimit(call, call.timeoutMs ?? link.config.timeoutMs)
    const taken: (() => void)[] = []
    try {
      // The server's own limit first: those who queue for a slow server take no place from the others.
      for (const places of [deps.callsOf(tool.server), deps.calls]) {
        taken.push(places.tryAcquire() ?? (await places.acquire(limit.signal())))
      }
      return await callOnce(call, link, limit, deps, true)
    } catch (error) {
      if (call.signal.aborted) throw new CallAbortedError(call.tool)
      if (limit.ranOut()) throw notReadyInTime(tool.server, limit.timeoutMs, error)
      throw error
    } finally {
      for (const giveBack of taken.reverse()) giveBack()
    }
  }
}

async function callOnce(
  call: ToolCall,
  link: ServerLink,
  limit: Limit,
  deps: CallDeps,
  mayRetry: boolean,
): Promise<ToolResult> {
  const connection =
    link.openConnection(call.session) ?? (await unlessAborted(link.connection(call.session), limit.signal()))
  // Connecting lists the tools again: what was approved may have changed meanwhile, or be another in this session.
  link.showList(connection)
  const { tool } = resolve(call.tool, deps)
  try {
    return await connection.callTool(tool.definition, call.arguments, {
      timeoutMs: limit.remainingMs(),
      signal: call.signal,
      ...(call.onProgress === undefined ? {} : { onProgress: call.onProgress }),
    })
  } catch (error) {
    if (call.signal.aborted || error instanceof PmlError) throw error
    // JSON.stringify ends at some 7,000 levels: the call was never sent, and the server has no part in it.
    if (error instanceof RangeError) throw tooDeep(call.tool)
    // The server does not know our session any more, so it did not run the call.
    if (mayRetry && connection.isExpired(error)) {
      connection.end(error)
      return callOnce(call, link, limit, deps, false)
    }
    const explained = connection.explain(error)
    if (isBroken(explained)) connection.end(error)
    throw explained
  }
}

function resolve(id: string, { catalogue, links }: CallDeps): { tool: Tool; link: ServerLink } {
  const server = parseToolId(id)?.server
  const link = server === undefined ? undefined : links.get(server)
  if (link?.config.disabled) {
    throw new UpstreamError(link.config.name, 'offline', 'it is disabled.', 'Enable it in the configuration.')
  }
  const tool = catalogue.tool(id)
  if (tool?.changed !== undefined && tool.listed) throw new ToolQuarantinedError(id)
  if (tool === undefined || link === undefined || !isCallable(tool)) {
    const names = catalogue
      .tools()
      .filter(isCallable)
      .map((known) => known.id)
    const late = [...links.values()].filter(({ isReady, config }) => !isReady && !config.disabled)
    throw new ToolNotFoundError(id, closestNames(id, names, 3), late.map(({ config }) => config.name).sort())
  }
  return { tool, link }
}

function tooDeep(toolId: string): BadArgumentsError {
  return new BadArgumentsError(toolId, [{ path: '', expected: 'expected fewer levels of nesting' }])
}

function isBroken(error: PmlError): boolean {
  return error instanceof UpstreamError && (error.kind === 'offline' || error.kind === 'auth')
}

/** The time one call has, from its first wait to its answer. */
interface Limit {
  readonly timeoutMs: number
  remainingMs(): number
  /** Aborts when the caller does or the time is up; made only for calls that must wait. */
  signal(): AbortSignal
  /** Whether a wait ended because the time was up. */
  ranOut(): boolean
}

function createLimit(call: ToolCall, timeoutMs: number): Limit {
  const endsAt = performance.now() + timeoutMs
  const remainingMs = (): number => Math.max(1, Math.ceil(endsAt - performance.now()))
  let timeUp: AbortSignal | undefined
  return {
    timeoutMs,
    remainingMs,
    signal() {
      timeUp ??= AbortSignal.timeout(remainingMs())
      return AbortSignal.any([call.signal, timeUp])
    },
    ranOut: () => timeUp?.aborted ?? false,
  }
}

/** Waits for something that goes on when this call is over: a connection serves others too. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    work.then(resolve, reject)
  })
}

function notReadyInTime(server: string, timeoutMs: number, cause: unknown): UpstreamError {
  return new UpstreamError(
    server,
    'timeout',
    `no answer within ${timeoutMs} ms, waiting for the server included.`,
    'Call again later or with a larger timeoutMs; see its state with: pml status',
    { cause },
  )
}
