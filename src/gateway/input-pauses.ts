/**
 * A client of 2026-07-28 is asked in the answer: `input_required` ends its request, and it sends the same one again with its
 * responses. A server of a 2025 revision asks in the middle of a call and waits. Between the two the call is paused here: it
 * stays under way, its questions go out as the answer, and the request that brings the responses takes the call up again.
 *
 *   client        gateway                 server
 *     ── call ──────>  ── call ──────────────>
 *                      <── elicitation/create ──
 *     <─ input_required (requestState names the pause)
 *     ── call + responses ─>  ── response ──────>
 *     <─ result ───────  <── result ────────────
 *
 * A pause lives in this process: it ends with it, and when nobody comes back in time, and the call is cancelled.
 */
import { createHash, randomUUID } from 'node:crypto'
import { ProtocolError } from '@modelcontextprotocol/server'
import type { Question } from '../model/client-side.js'
import { canonicalJson, type JsonObject } from '../model/json.js'
import { maxQuestions } from '../upstream/input-rounds.js'
import { cannotAsk } from './client-sides.js'
import type { Caller } from './tools/meta-tool.js'
import { jsonRpc } from './wire-error.js'

export interface InputPauses {
  /** What `work` gives, or what it asks. `request` is the whole of it, and must be the same in every round. */
  run<Result>(
    request: JsonObject,
    caller: Caller,
    work: (caller: Caller) => Promise<Result>,
  ): Promise<Result | JsonObject>
  close(): void
}

export interface InputPausesOptions {
  readonly expireMs: number
  readonly maxPauses: number
}

const prefix = 'pml-pause:'

export function createInputPauses({ expireMs, maxPauses }: InputPausesOptions): InputPauses {
  const paused = new Map<string, { readonly call: AskingCall; readonly key: string; timer: NodeJS.Timeout }>()

  const forget = (state: string): void => {
    clearTimeout(paused.get(state)?.timer)
    paused.delete(state)
  }
  const expire = (state: string): void => {
    paused.get(state)?.call.cancel()
    forget(state)
  }
  /** The same call may pause again, under another name: an answer is taken once. */
  const serve = async (call: AskingCall, key: string, caller: Caller): Promise<unknown> => {
    const { result, questions } = await call.wait(caller)
    if (questions === undefined) return result
    const requestState = prefix + randomUUID()
    if (paused.size >= maxPauses) expire(paused.keys().next().value!)
    const timer = setTimeout(() => expire(requestState), expireMs)
    timer.unref()
    paused.set(requestState, { call, key, timer })
    return { resultType: 'input_required', inputRequests: questions, requestState }
  }

  return {
    async run(request, caller, work) {
      const { round, ...rest } = caller
      if (round?.requestState?.startsWith(prefix)) {
        const key = keyOf(request)
        const pause = paused.get(round.requestState)
        if (pause === undefined || pause.key !== key) throw goneError()
        forget(round.requestState)
        pause.call.answer(round.inputResponses ?? {})
        return serve(pause.call, key, rest) as never
      }
      const { client } = caller
      if (client === undefined || Object.keys(client.capabilities).length === 0) return work(caller)
      if (!client.takesInputRequired) return work(caller)
      return serve(new AskingCall(caller, work), keyOf(request), caller) as never
    },
    close() {
      for (const state of [...paused.keys()]) expire(state)
    },
  }
}

interface Open {
  readonly question: Question
  resolve(answer: JsonObject): void
  reject(error: unknown): void
}

type Reply =
  | { readonly result: unknown; readonly questions?: undefined }
  | { readonly questions: JsonObject; readonly result?: undefined }

/** One call that may ask, and the requests of its client that wait for it one after the other. */
class AskingCall {
  readonly #done: Promise<unknown>
  readonly #stop = new AbortController()
  readonly #open = new Map<string, Open>()
  #waiting: Caller | undefined
  #onAsked: (() => void) | undefined
  #lastKey = 0
  #isOver = false

  constructor(first: Caller, work: (caller: Caller) => Promise<unknown>) {
    const { client, onProgress, ...rest } = first
    this.#waiting = first
    this.#done = work({
      ...rest,
      signal: this.#stop.signal,
      ...(onProgress && { onProgress: (progress) => this.#waiting?.onProgress?.(progress) }),
      client: {
        ...client!,
        ask: (question, signal) => this.#ask(question, signal),
        tell: (notice) => this.#waiting?.client?.tell(notice),
      },
    }).finally(() => {
      this.#isOver = true
    })
    // Whoever waits sees how it ends; while nobody does, it is kept for the one who comes back.
    this.#done.catch(() => {})
  }

  /** Until the call has ended, or has asked something. */
  async wait(caller: Caller): Promise<Reply> {
    this.#waiting = caller
    const cancel = (): void => this.cancel(caller.signal.reason)
    if (caller.signal.aborted) cancel()
    caller.signal.addEventListener('abort', cancel, { once: true })
    try {
      const asked = new Promise<Reply>((resolve) => {
        this.#onAsked = () => resolve({ questions: this.#questions() })
        // Tasks of one workflow often ask in the same moment: one round is enough for them.
        if (this.#open.size > 0) setImmediate(() => this.#onAsked?.())
      })
      return await Promise.race([this.#done.then((result): Reply => ({ result })), asked])
    } finally {
      this.#waiting = undefined
      this.#onAsked = undefined
      caller.signal.removeEventListener('abort', cancel)
    }
  }

  /** What was asked and not answered is asked again with the next round. */
  answer(responses: JsonObject): void {
    for (const [key, { resolve }] of [...this.#open]) {
      const response = responses[key]
      if (response === undefined || response === null || typeof response !== 'object') continue
      this.#open.delete(key)
      resolve(response as JsonObject)
    }
  }

  cancel(reason?: unknown): void {
    this.#stop.abort(reason)
    for (const { reject } of this.#open.values()) reject(new Error('The client did not come back.'))
    this.#open.clear()
  }

  #ask(question: Question, signal: AbortSignal): Promise<JsonObject> {
    if (this.#isOver) return cannotAsk()
    if (this.#open.size >= maxQuestions) return Promise.reject(new Error('Too many questions at once.'))
    const key = `q${++this.#lastKey}`
    return new Promise<JsonObject>((resolve, reject) => {
      const settle = (): void => {
        this.#open.delete(key)
        signal.removeEventListener('abort', onAbort)
      }
      const onAbort = (): void => {
        settle()
        reject(signal.reason)
      }
      signal.addEventListener('abort', onAbort, { once: true })
      this.#open.set(key, {
        question,
        resolve: (answer) => {
          settle()
          resolve(answer)
        },
        reject: (error) => {
          settle()
          reject(error)
        },
      })
      setImmediate(() => this.#open.size > 0 && this.#onAsked?.())
    })
  }

  #questions(): JsonObject {
    return Object.fromEntries(
      [...this.#open].map(([key, { question }]) => [key, { ...question } as unknown as JsonObject]),
    )
  }
}

function keyOf(request: JsonObject): string {
  return createHash('sha256').update(canonicalJson(request)).digest('base64')
}

function goneError(): ProtocolError {
  return new ProtocolError(
    jsonRpc.invalidParams,
    'Invalid or expired requestState: the call that asked is not under way any more, or it was another request. Check its effect before calling again.',
    { reason: 'invalid_request_state' },
  )
}
