import { describe, expect, it } from 'vitest'
import type { ClientSide } from '../model/client-side.js'
import type { JsonObject } from '../model/json.js'
import { cannotAsk } from './client-sides.js'
import { createInputPauses } from './input-pauses.js'
import type { Caller } from './tools/meta-tool.js'

const limits = { expireMs: 60_000, maxPauses: 10 }
const question = { method: 'elicitation/create', params: { message: 'Who?' } }
const request = { name: 'tool', arguments: { a: 1 } }

function modern(extra: Partial<Caller> = {}): Caller {
  const client: ClientSide = {
    capabilities: { elicitation: {} },
    ask: cannotAsk,
    tell() {},
    takesInputRequired: true,
  }
  return { session: 's', clientName: 'test', signal: new AbortController().signal, client, ...extra }
}

const askOnce = async ({ client, signal }: Caller) => `Hello ${(await client!.ask(question, signal)).name}`

interface Asked {
  readonly resultType: string
  readonly inputRequests: JsonObject
  readonly requestState: string
}

const again = (asked: unknown, inputResponses: JsonObject): Partial<Caller> => ({
  round: { requestState: (asked as Asked).requestState, inputResponses },
})

describe('a call that asks a client of 2026-07-28', () => {
  it('is answered with the question, and goes on with the response', async () => {
    const pauses = createInputPauses(limits)
    const asked = await pauses.run(request, modern(), askOnce)
    expect(asked).toMatchObject({ resultType: 'input_required', inputRequests: { q1: question } })
    const done = await pauses.run(request, modern(again(asked, { q1: { name: 'Ada' } })), () => {
      throw new Error('it must not be called a second time')
    })
    expect(done).toBe('Hello Ada')
  })

  it('may ask several things at once, and again what was left unanswered', async () => {
    const pauses = createInputPauses(limits)
    const asked = await pauses.run(request, modern(), async ({ client, signal }) => {
      const answers = await Promise.all([1, 2].map(() => client!.ask(question, signal)))
      return answers.map(({ name }) => name).join(' and ')
    })
    expect(Object.keys((asked as unknown as Asked).inputRequests)).toEqual(['q1', 'q2'])
    const more = await pauses.run(request, modern(again(asked, { q1: { name: 'Ada' } })), askOnce)
    expect(Object.keys((more as unknown as Asked).inputRequests)).toEqual(['q2'])
    expect(await pauses.run(request, modern(again(more, { q2: { name: 'Bob' } })), askOnce)).toBe(
      'Ada and Bob',
    )
  })

  it('is taken up once, and only by the same request', async () => {
    const pauses = createInputPauses(limits)
    const asked = await pauses.run(request, modern(), askOnce)
    const caller = modern(again(asked, { q1: { name: 'Ada' } }))
    await expect(pauses.run({ ...request, name: 'other' }, caller, askOnce)).rejects.toMatchObject({
      code: -32602,
    })
    expect(await pauses.run(request, caller, askOnce)).toBe('Hello Ada')
    await expect(pauses.run(request, caller, askOnce)).rejects.toMatchObject({ code: -32602 })
  })

  it('fails to whoever comes back when it failed meanwhile', async () => {
    const pauses = createInputPauses(limits)
    const asked = await pauses.run(request, modern(), async ({ client, signal }) => {
      await client!.ask(question, signal)
      throw new Error('broken')
    })
    await expect(pauses.run(request, modern(again(asked, { q1: {} })), askOnce)).rejects.toThrow('broken')
  })

  it('is cancelled with the request that waits for it, and when nobody comes back', async () => {
    const pauses = createInputPauses({ ...limits, expireMs: 5 })
    const stop = new AbortController()
    const over: string[] = []
    const work = (name: string) => async (caller: Caller) => {
      caller.signal.addEventListener('abort', () => over.push(name))
      return name === 'asks' ? askOnce(caller) : new Promise<string>(() => {})
    }
    void pauses.run(request, modern({ signal: stop.signal }), work('waits'))
    stop.abort()
    expect(over).toEqual(['waits'])
    const asked = await pauses.run(request, modern(), work('asks'))
    await expect.poll(() => over).toEqual(['waits', 'asks'])
    await expect(pauses.run(request, modern(again(asked, {})), askOnce)).rejects.toMatchObject({
      code: -32602,
    })
  })

  it('the oldest pause makes room for a new one', async () => {
    const pauses = createInputPauses({ ...limits, maxPauses: 1 })
    const first = await pauses.run(request, modern(), askOnce)
    const second = await pauses.run(request, modern(), askOnce)
    await expect(pauses.run(request, modern(again(first, { q1: {} })), askOnce)).rejects.toThrow(/expired/)
    expect(await pauses.run(request, modern(again(second, { q1: { name: 'B' } })), askOnce)).toBe('Hello B')
  })

  it('tells its progress to the request that waits now', async () => {
    const pauses = createInputPauses(limits)
    const told: string[] = []
    const work = async ({ client, signal, onProgress }: Caller) => {
      onProgress?.({ progress: 1 })
      await client!.ask(question, signal)
      onProgress?.({ progress: 2 })
      return 'done'
    }
    const asked = await pauses.run(request, modern({ onProgress: () => told.push('first') }), work)
    const next = modern({ ...again(asked, { q1: {} }), onProgress: () => told.push('second') })
    expect(await pauses.run(request, next, work)).toBe('done')
    expect(told).toEqual(['first', 'second'])
  })

  it('state of a server behind us is passed on untouched', async () => {
    const pauses = createInputPauses(limits)
    const round = { requestState: 'the server knows', inputResponses: { a: {} } }
    expect(await pauses.run(request, modern({ round }), async (caller) => caller.round)).toEqual(round)
  })
})
