/**
 * What a client of 2026-07-28 is asked in an answer comes back with `requestState`, which says what the answer is about. Any client can
 * write one, and would answer as a person what no person was asked: so it is signed, and good only for the client that was asked.
 *
 *   <prefix><ids, by comma>:<hash of the request>:<HMAC-SHA256 of kind, ids, hash, client name>
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { CommandRefusedError } from '../errors.js'

export type StateKind = 'run' | 'decision'

export interface RequestState {
  /** Of a run: its id, then those of the decisions that were asked. Of a call by itself: its decision's. */
  readonly ids: readonly string[]
  /** Hash of the request that was answered with it. */
  readonly request: string
}

export interface RequestStates {
  write(kind: StateKind, state: RequestState, clientName: string): string
  /** Undefined: it is not one that this client was given. */
  read(kind: StateKind, text: string, clientName: string): RequestState | undefined
}

export const statePrefix: Readonly<Record<StateKind, string>> = {
  run: 'pml-run:',
  decision: 'pml-decision:',
}

export function createRequestStates(key: Uint8Array): RequestStates {
  const sign = (kind: StateKind, { ids, request }: RequestState, clientName: string): Buffer =>
    createHmac('sha256', key)
      .update(JSON.stringify([kind, ids, request, clientName]))
      .digest()

  return {
    write(kind, state, clientName) {
      const signature = sign(kind, state, clientName).toString('hex')
      return `${statePrefix[kind]}${state.ids.join(',')}:${state.request}:${signature}`
    },
    read(kind, text, clientName) {
      if (!text.startsWith(statePrefix[kind])) return undefined
      const parts = text.slice(statePrefix[kind].length).split(':')
      const [ids, request, signature] = parts
      if (parts.length !== 3 || !isHash(request!) || !isHash(signature!)) return undefined
      const state = { ids: ids!.split(','), request: request! }
      return timingSafeEqual(Buffer.from(signature!, 'hex'), sign(kind, state, clientName))
        ? state
        : undefined
    },
  }
}

function isHash(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text)
}

export function notThisRequest(runId: string): CommandRefusedError {
  return new CommandRefusedError(
    runId,
    'The requestState is not of this request: it belongs to another tool, to other arguments, to another client, or it is none of ours. Nothing was done.',
    'Send exactly the request that was answered with input_required, or call without requestState.',
  )
}
