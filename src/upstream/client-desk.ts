/**
 * What a server asks and tells of its own accord, before 2026-07-28: elicitation, sampling, roots, log messages. It goes to
 * the client whose request the server is working on. Over HTTP the stream says which that is; on standard input and output
 * it is plain only while one session alone has requests under way. In doubt nobody is asked: an answer of one client must
 * never end up in another's call.
 */
import { type JSONRPCMessage, ProtocolError } from '@modelcontextprotocol/client'
import {
  type ClientSide,
  canAnswer,
  capabilityFor,
  type Notice,
  nobody,
  type Question,
} from '../model/client-side.js'
import { isDeeperThan } from '../model/is-deeper-than.js'
import { isObject, type JsonObject } from '../model/json.js'
import { maxQuestions } from './input-rounds.js'
import type { RpcMessage } from './read-message.js'
import type { RequestLane, Waiting } from './request-lane.js'

export interface ClientDeskOptions {
  readonly lane: RequestLane
  /** The client of a connection that one session has to itself; undefined where all share it. */
  owner(): ClientSide | undefined
  send(message: JSONRPCMessage): Promise<void>
  /** A question came while several sessions were waiting. */
  onAmbiguous(): void
  /** Told outside any request, on a connection that all share; never what may be about one client alone. */
  tellAll(notice: Notice): void
}

export interface ClientDesk {
  /** True when the message was for a client, and nobody else should see it. */
  take(message: RpcMessage): boolean
  /** The same for a question that came another way. Rejects with what the server is to be told. */
  answer(question: Question, given: AbortSignal): Promise<JsonObject>
  close(): void
}

/** Of an MCP client that cannot do what it is asked. */
const methodNotFound = -32601
const internalError = -32603
const deepestQuestion = 256

const notices = new Set(['notifications/message', 'notifications/elicitation/complete'])

export function createClientDesk(options: ClientDeskOptions): ClientDesk {
  const { lane } = options
  const open = new Map<string | number, AbortController>()

  const reply = (id: string | number, answer: object): void => {
    options.send({ jsonrpc: '2.0', id, ...answer } as JSONRPCMessage).catch(() => {})
  }

  const answer = async (question: Question, given: AbortSignal): Promise<JsonObject> => {
    const asked = whomToAsk(lane, options.owner())
    if (asked === 'several') {
      options.onAmbiguous()
      throw new ProtocolError(internalError, severalWaiting)
    }
    const client = 'hold' in asked ? asked.client : asked
    if (!canAnswer(client.capabilities, question)) return cannotAnswer(question)
    if (!('hold' in asked)) return client.ask(question, given)
    const { over, release } = asked.hold()
    try {
      return await client.ask(question, AbortSignal.any([given, over]))
    } finally {
      release()
    }
  }

  const take = async (id: string | number, question: Question): Promise<void> => {
    const given = new AbortController()
    open.set(id, given)
    try {
      reply(id, { result: await answer(question, given.signal) })
    } catch (error) {
      reply(id, { error: toWireError(error) })
    } finally {
      open.delete(id)
    }
  }

  const tell = (notice: Notice): void => {
    const told = whomToAsk(lane, options.owner())
    // Which of several clients a log message is about, nobody knows: it may hold what only one of them may see.
    if (told === 'several') return
    if ('hold' in told) told.client.tell(notice)
    else if (told !== nobody) told.tell(notice)
    else if (notice.method !== 'notifications/message') options.tellAll(notice)
  }

  return {
    answer,
    take({ id, method, params }) {
      if (method === undefined) return false
      const given = isObject(params) ? params : {}
      if (method === 'notifications/cancelled') {
        const cancelled = open.get(given.requestId as string | number)
        cancelled?.abort()
        return cancelled !== undefined
      }
      if (id === undefined || id === null) {
        if (!notices.has(method)) return false
        tell({ method, params: given })
        return true
      }
      if (capabilityFor(method) === undefined) return false
      if (open.size >= maxQuestions || isDeeperThan(given, deepestQuestion)) {
        reply(id, {
          error: { code: internalError, message: 'Too many questions at once, or too deep a one.' },
        })
        return true
      }
      void take(id, { method, params: given })
      return true
    },
    close() {
      for (const given of open.values()) given.abort()
    },
  }
}

function whomToAsk(lane: RequestLane, owner: ClientSide | undefined): Waiting | ClientSide | 'several' {
  const related = lane.related()
  if (related === 'gone') return nobody
  if (related !== undefined) return related
  if (lane.sessions().size > 1) return 'several'
  return lane.waiting().at(-1) ?? owner ?? nobody
}

/** Roots asked for outside any call, as servers do when they start: an empty list leaves them what they were given. */
function cannotAnswer({ method }: Question): JsonObject {
  if (method === 'roots/list') return { roots: [] }
  throw new ProtocolError(
    methodNotFound,
    `The client of this call does not support ${capabilityFor(method)}.`,
  )
}

const severalWaiting =
  'Several clients have calls under way, and it cannot be told whom this is for. From now on each has a connection of its own: call again.'

function toWireError(error: unknown): object {
  const { code, message, data } = (error ?? {}) as { code?: unknown; message?: unknown; data?: unknown }
  return {
    code: typeof code === 'number' && Number.isSafeInteger(code) ? code : internalError,
    message: typeof message === 'string' ? message : 'The client gave no answer.',
    ...(data === undefined ? {} : { data }),
  }
}
