import { ownToolName } from '../model/own-tool-name.js'

/**
 * What a bridge must remember of a client's session to set it up again at another holder: the handshake, what was
 * subscribed to, and the requests that have no answer yet. Pure bookkeeping over JSON-RPC messages.
 */
export interface Message {
  readonly id?: string | number | null
  readonly method?: string
  readonly params?: { readonly [key: string]: unknown }
  readonly [field: string]: unknown
}

export interface Replay {
  /** To be sent first; their answers (ids begin with `replayPrefix`) are not the client's. */
  readonly requests: readonly Message[]
  /** The client's own `notifications/initialized`, once the requests are answered. */
  readonly initialized: Message | undefined
  /** The client's unanswered requests that may be sent again. */
  readonly repeat: readonly Message[]
  /** Answers for those that may not. */
  readonly failed: readonly Message[]
}

export interface SessionMemory {
  /** A message of the client goes to the holder; false when it answers a holder that is gone, and nobody else. */
  fromClient(message: Message): boolean
  /** The holder has taken it in, so it may have acted on it. */
  delivered(message: Message): void
  fromHolder(message: Message): void
  /** The holder is gone: what another one must be sent. Says the same again until it is told that it was done. */
  replay(): Replay
  /** Repeated and failed ones of a replay are no longer waited for; whoever repeats them tells of each again. */
  replayed(replay: Replay): void
}

export const replayPrefix = 'pml-replay-'

export function createSessionMemory(): SessionMemory {
  /** By id; what else a client writes for an id is refused by the holder, and never answered under it. */
  const pending = new Map<unknown, { readonly message: Message; delivered: boolean }>()
  const sticky = new Map<string, Message>()
  /** What this holder has asked the client. Another one counts its questions anew, and must not take an old answer. */
  const asked = new Set<unknown>()
  let initialize: Message | undefined
  let initialized: Message | undefined

  return {
    fromClient(message) {
      const { method, id, params } = message
      if (method === undefined) return !isAnswer(message) || asked.delete(id)
      if (typeof id === 'string' || typeof id === 'number') pending.set(id, { message, delivered: false })
      if (method === 'initialize') initialize = message
      else if (method === 'notifications/initialized') initialized = message
      else if (method === 'notifications/cancelled') pending.delete(params?.requestId)
      else if (method === 'logging/setLevel') sticky.set('level', message)
      else if (typeof params?.uri !== 'string') return true
      else if (method === 'resources/subscribe') sticky.set(`resource ${params.uri}`, message)
      else if (method === 'resources/unsubscribe') sticky.delete(`resource ${params.uri}`)
      return true
    },
    delivered(message) {
      const request = pending.get(message.id)
      if (request?.message === message) request.delivered = true
    },
    fromHolder(message) {
      if (message.method === 'notifications/cancelled') asked.delete(message.params?.requestId)
      if (message.id === undefined) return
      if (message.method === undefined) pending.delete(message.id)
      else asked.add(message.id)
    },
    replay() {
      asked.clear()
      const shaken = initialize !== undefined && !pending.has(initialize.id)
      const again = shaken ? [initialize!, ...sticky.values()] : []
      const repeat: Message[] = []
      const failed: Message[] = []
      for (const { message, delivered } of pending.values()) {
        if (!delivered || isRepeatable(message)) repeat.push(message)
        else failed.push(message)
      }
      return {
        requests: again.map((message, at) => ({ ...message, id: `${replayPrefix}${at}` })),
        initialized: shaken ? initialized : undefined,
        repeat,
        failed: failed.map(cutOff),
      }
    },
    replayed({ repeat, failed }) {
      for (const { id } of [...repeat, ...failed]) pending.delete(id)
    },
  }
}

/** What is neither a request nor an answer is for the holder to refuse. */
function isAnswer(message: Message): boolean {
  return message.result !== undefined || message.error !== undefined
}

/** A tool call may have been carried out before the holder died: only those that change nothing are sent again. */
function isRepeatable(message: Message): boolean {
  if (message.method !== 'tools/call') return true
  const name = calledTool(message)
  if (name === 'discover') return true
  const action = (message.params?.arguments as { action?: unknown } | undefined)?.action
  return name === 'control_workflow' && (action === 'status' || action === 'read')
}

function calledTool({ params }: Message): string | undefined {
  return typeof params?.name === 'string' ? ownToolName(params.name) : undefined
}

function cutOff(message: Message): Message {
  const name = calledTool(message)
  const { text, hint } = name === 'execute_workflow' || name === 'control_workflow' ? lostRun : lostCall
  return {
    jsonrpc: '2.0',
    id: message.id ?? null,
    error: { code: -32603, message: text, data: { code: 'GATEWAY_LOST', hint } },
  }
}

const lostCall = {
  text: 'The gateway process ended during this call, which may or may not have been carried out. Check before calling again.',
  hint: 'Look at the effect of the call first; the gateway itself is back.',
}

/** Runs are stored: to start the same again would do everything twice. */
const lostRun = {
  text: 'The gateway process ended during this call. It is back, and a workflow that had begun is taken up again and goes on. Look before calling again: control_workflow {"action":"status"} without workflow_id lists the newest, as does `pml runs`.',
  hint: 'control_workflow {"action":"status"} lists the newest workflows; call again only if this one is not among them.',
}
