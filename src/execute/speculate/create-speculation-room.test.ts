import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { CallAbortedError } from '../../errors.js'
import type { JsonObject } from '../../model/json.js'
import type { ToolId } from '../../model/tool.js'
import type { ToolResult } from '../../model/tool-call.js'
import { openTestRoom, predicted, type TestRoom, testConfig, text, turn } from './test-room.contract.js'

/** One call is ready, after 200 ms. */
async function withReady(args: JsonObject = {}): Promise<TestRoom> {
  const test = openTestRoom()
  test.predictions = [predicted('fs:read', args)]
  await test.look()
  test.clock.ms += 200
  test.made[0]!.give(text('ahead'))
  await turn()
  return test
}

function isOver(test: TestRoom, at: number): boolean {
  return test.made[at]!.isOver
}

describe('a call that was run ahead', () => {
  test('is given to who asks for it, whatever the order of its arguments', async () => {
    const test = await withReady({ a: 1, b: [2] })
    expect(test.made[0]).toMatchObject({ session: 's', isAhead: true })
    expect(test.made[0]).not.toHaveProperty('client')
    expect(test.room.prepared('s')).toEqual([{ tool: 'fs:read', arguments: { a: 1, b: [2] }, isReady: true }])
    expect(await test.ask('fs:read', { b: [2], a: 1 })).toEqual(text('ahead'))
    expect(test.made).toHaveLength(1)
    expect([...test.entries.values()]).toMatchObject([
      { decision: 'started', outcome: 'hit', tookMs: 200, savedMs: 200, p: 0.9, source: 'none' },
    ])
    expect(test.seen).toMatchObject([{ tool: 'fs:read', result: text('ahead') }])
    expect(test.room.prepared('s')).toEqual([])
  })

  test('is given once: who asks again wants a fresh one', async () => {
    const test = await withReady()
    await test.ask('fs:read')
    const second = test.ask('fs:read')
    test.made[1]!.give(text('fresh'))
    expect(await second).toEqual(text('fresh'))
  })

  test('is joined while it is under way, by one', async () => {
    const test = openTestRoom()
    test.predictions = [predicted('fs:read')]
    await test.look()
    test.clock.ms += 300
    const joined = test.ask('fs:read')
    const other = test.ask('fs:read')
    await turn()
    expect(test.made.map(({ isAhead }) => isAhead)).toEqual([true, false])
    test.clock.ms += 100
    test.made[0]!.give(text('ahead'))
    test.made[1]!.give(text('own'))
    expect(await joined).toEqual(text('ahead'))
    expect(await other).toEqual(text('own'))
    expect([...test.entries.values()]).toMatchObject([{ outcome: 'joined', savedMs: 300, tookMs: 400 }])
  })

  test.each<[string, (test: TestRoom) => void]>([
    ['fails', (test) => test.made[0]!.fail(new Error('no'))],
    ['answers an error', (test) => test.made[0]!.give({ ...text('no'), isError: true })],
    ['asks something', (test) => test.made[0]!.give({ content: [], resultType: 'input_required' })],
    ['answers nothing', (test) => test.made[0]!.give(undefined as unknown as ToolResult)],
  ])('that %s is made after all for who joined it', async (_, end) => {
    const test = openTestRoom()
    test.predictions = [predicted('fs:read')]
    await test.look()
    const joined = test.ask('fs:read')
    test.clock.ms += 400
    end(test)
    await turn()
    expect(test.made[1]).toMatchObject({ isAhead: false })
    test.made[1]!.give(text('own'))
    expect(await joined).toEqual(text('own'))
    expect(test.ledger()).toEqual(['fs:read started wasted'])
    expect(test.room.prepared('s')).toEqual([])
  })

  test('goes on when who joined it gives up, and is there for the next', async () => {
    const test = openTestRoom()
    test.predictions = [predicted('fs:read')]
    await test.look()
    const controller = new AbortController()
    const joined = test.ask('fs:read', {}, { signal: controller.signal })
    controller.abort()
    await expect(joined).rejects.toThrow(CallAbortedError)
    expect(isOver(test, 0)).toBe(false)
    test.made[0]!.give(text('ahead'))
    await turn()
    expect(await test.ask('fs:read')).toEqual(text('ahead'))
    expect(test.ledger()).toEqual(['fs:read started hit'])
  })

  test('that somebody waits for is not ended after five seconds', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const test = openTestRoom()
    test.predictions = [predicted('fs:read'), predicted('fs:other')]
    await test.look()
    const joined = test.ask('fs:read')
    await turn()
    vi.advanceTimersByTime(6_000)
    await turn()
    expect([isOver(test, 0), isOver(test, 1)]).toEqual([false, true])
    test.made[0]!.give(text('ahead'))
    expect(await joined).toEqual(text('ahead'))
  })

  test('is not waited for by who has a limit of their own', async () => {
    const test = openTestRoom()
    test.predictions = [predicted('fs:read')]
    await test.look()
    const own = test.ask('fs:read', {}, { timeoutMs: 1_000 })
    await turn()
    test.made[1]!.give(text('own'))
    expect(await own).toEqual(text('own'))
  })

  test.each([
    ['another session', { session: 'other' }],
    ['a round of questions', { round: { requestState: 'x' } }],
  ])('is not given to %s', async (_, more) => {
    const test = await withReady()
    const own = test.ask('fs:read', {}, more)
    await turn()
    test.made[1]!.give(text('own'))
    expect(await own).toEqual(text('own'))
  })

  test.each([
    ['sends something along', { meta: { traceparent: 'x' } }],
    ['wants to see the progress', { onProgress: () => {} }],
  ])('is given to who %s', async (_, more) => {
    const test = await withReady()
    await test.ask('fs:read', {}, more)
    expect(test.made).toHaveLength(1)
  })

  test('is not given to who has given up already', async () => {
    const test = await withReady()
    void test.ask('fs:read', {}, { signal: AbortSignal.abort() }).catch(() => {})
    await turn()
    expect(test.made).toHaveLength(2)
  })

  test('is thrown away when its time is over', async () => {
    const test = await withReady()
    test.clock.ms += 29_799
    expect(test.room.prepared('s')).toHaveLength(1)
    test.clock.ms += 1
    expect(test.room.prepared('s')).toEqual([])
    void test.ask('fs:read')
    await turn()
    expect(test.made).toHaveLength(2)
    expect(test.ledger()).toEqual(['fs:read started wasted'])
  })

  test('is not given any more when its tool is not safe, or is switched off, meanwhile', async () => {
    for (const change of ['unsafe', 'never', 'off', 'shadow']) {
      let now = ''
      const test = openTestRoom({
        isSafe: () => now !== 'unsafe',
        isNeverAhead: () => now === 'never',
        mayWrite: () => false,
      })
      test.predictions = [predicted('fs:read')]
      await test.look()
      test.made[0]!.give(text('ahead'))
      await turn()
      now = change
      if (now === 'off' || now === 'shadow') test.config = { ...testConfig, tools: { 'fs:*': now } }
      void test.ask('fs:read')
      await turn()
      expect(test.made, change).toHaveLength(2)
      expect(test.ledger(), change).toEqual(['fs:read started wasted'])
    }
  })

  test('that is larger than 4 MB is not kept, but given to who joined it', async () => {
    const test = openTestRoom()
    test.predictions = [predicted('fs:read')]
    await test.look()
    const joined = test.ask('fs:read')
    test.made[0]!.give(text('x'.repeat(4 * 1024 * 1024)))
    expect((await joined).content).toHaveLength(1)
    await test.look()
    test.made[1]!.give(text('x'.repeat(4 * 1024 * 1024)))
    await turn()
    expect(test.ledger()).toEqual(['fs:read started joined', 'fs:read started wasted'])
  })
})

describe('a write', () => {
  test.each<[string, (test: TestRoom) => void]>([
    ['succeeds', (test) => test.made.at(-1)!.give(text('done'))],
    ['fails', (test) => test.made.at(-1)!.fail(new Error('no'))],
  ])('that %s ends what was read of its server before, from its beginning on', async (_, end) => {
    const test = openTestRoom()
    test.predictions = [predicted('fs:read'), predicted('fs:list'), predicted('git:log')]
    await test.look()
    for (const call of test.made.slice(0, 1)) call.give(text('ahead'))
    test.made[2]!.give(text('log'))
    await turn()
    const written = test.ask('fs:write').catch(() => {})
    expect(isOver(test, 1)).toBe(true)
    expect(test.room.prepared('s')).toEqual([{ tool: 'git:log', arguments: {}, isReady: true }])
    expect(test.ledger().slice(0, 2)).toEqual(['fs:read started wasted', 'fs:list started wasted'])
    await test.look()
    expect(test.ledger().slice(3)).toEqual([
      'fs:read refused write under way',
      'fs:list refused write under way',
    ])
    end(test)
    await written
    void test.ask('fs:read')
    await turn()
    expect(test.made.at(-1)).toMatchObject({ tool: 'fs:read', isAhead: false })
    expect(await test.ask('git:log')).toEqual(text('log'))
  })

  test('does not take from who joined before it began', async () => {
    const test = openTestRoom()
    test.predictions = [predicted('fs:read')]
    await test.look()
    const joined = test.ask('fs:read')
    void test.ask('fs:write')
    const late = test.ask('fs:read')
    await turn()
    expect(isOver(test, 0)).toBe(false)
    test.made[0]!.give(text('before'))
    expect(await joined).toEqual(text('before'))
    test.made.at(-1)!.give(text('after'))
    expect(await late).toEqual(text('after'))
    expect(test.ledger()).toEqual(['fs:read started joined'])
  })

  test('of which no answer came keeps reads of its server from being made ahead for a while', async () => {
    const test = openTestRoom()
    test.predictions = [predicted('fs:read')]
    const controller = new AbortController()
    const written = test.ask('fs:write', {}, { signal: controller.signal })
    controller.abort()
    await expect(written).rejects.toThrow(CallAbortedError)
    await test.look()
    expect(test.ledger()).toEqual(['fs:read refused write under way'])
    test.clock.ms += 30_000
    await test.look()
    expect(test.ledger()).toEqual(['fs:read started'])
  })

  test('is assumed where nobody can tell', async () => {
    let isBroken = false
    const test = openTestRoom({
      mayWrite() {
        if (isBroken) throw new Error('no')
        return false
      },
    })
    test.predictions = [predicted('fs:read')]
    await test.look()
    isBroken = true
    void test.ask('fs:other')
    expect(test.ledger()).toEqual(['fs:read started wasted'])
  })

  test('of somebody else, told by moved(), ends what was read of that server, or of all', async () => {
    const test = openTestRoom()
    test.predictions = [predicted('fs:read'), predicted('git:log')]
    await test.look()
    test.room.moved('fs')
    expect(test.ledger()).toEqual(['fs:read started wasted', 'git:log started'])
    test.room.moved()
    expect(test.ledger()).toEqual(['fs:read started wasted', 'git:log started wasted'])
    await turn()
    expect(test.made.every((call) => call.isOver)).toBe(true)
  })
})

describe('the ledger', () => {
  test('says of what was not run whether it was asked for within three calls', async () => {
    const test = openTestRoom({ judge: () => 'below cut-off' })
    test.predictions = [predicted('fs:read'), predicted('fs:list', { path: 'a' }), predicted('fs:stat')]
    await test.look()
    const ask = async (tool: string, args?: JsonObject): Promise<void> => {
      const given = test.ask(tool, args)
      await turn()
      test.made.at(-1)!.give(text('x'))
      await given
    }
    await ask('fs:list', { path: 'b' })
    await ask('fs:list', { path: 'a' })
    await ask('fs:read')
    expect(test.ledger()).toEqual([
      'fs:read refused below cut-off right',
      'fs:list refused below cut-off right',
      'fs:stat refused below cut-off wrong',
    ])
  })

  test('counts no call that began before the prediction, and none that only asks something first', async () => {
    const test = openTestRoom({ judge: () => 'below cut-off' })
    test.predictions = [predicted('fs:read')]
    const before = ['fs:a', 'fs:b', 'fs:read'].map((tool) => test.ask(tool))
    await turn()
    await test.look()
    for (const call of test.made) call.give(text('x'))
    await Promise.all(before)
    const asking = test.ask('fs:a')
    test.made.at(-1)!.give({ content: [], resultType: 'input_required' })
    await asking
    expect(test.ledger()).toEqual(['fs:read refused below cut-off'])
    expect(test.seen.map(({ tool }) => tool)).toEqual(['fs:a', 'fs:b', 'fs:read'])
  })

  test('enters a call once while it is open, and as started when it may run at last', async () => {
    let isSure = false
    const test = openTestRoom({ judge: () => (isSure ? undefined : 'below threshold') })
    test.predictions = [predicted('fs:read')]
    await test.look()
    await test.look()
    isSure = true
    await test.look()
    await test.look()
    expect(test.made).toHaveLength(1)
    expect(test.ledger()).toEqual(['fs:read started'])
    expect(test.entries.get('id1')).not.toHaveProperty('refusal')
  })

  test('keeps the score in shadow, and calls nothing', async () => {
    const test = openTestRoom()
    test.config = { ...testConfig, mode: 'shadow' }
    test.predictions = [predicted('fs:read'), predicted('fs:write')]
    await test.look()
    expect(test.made).toEqual([])
    const own = test.ask('fs:read')
    await turn()
    test.made[0]!.give(text('x'))
    await own
    expect(test.ledger()).toEqual(['fs:read shadow right', 'fs:write refused not safe'])
  })

  test('holds 30 that wait and no more in a session, and forgets the session that predicted nothing for longest', async () => {
    const test = openTestRoom({ judge: () => 'below cut-off' })
    for (let at = 0; at < 35; at++) {
      test.predictions = [predicted(`fs:read${at}`)]
      await test.look()
    }
    expect(test.ledger().filter((line) => line.endsWith('wrong'))).toHaveLength(5)
    test.predictions = [predicted('fs:read')]
    for (let at = 0; at < 1_000; at++) test.room.lookAhead(`s${at}`)
    await turn()
    expect(test.ledger().filter((line) => line.endsWith('wrong'))).toHaveLength(35)
  })
})

describe('looking ahead', () => {
  test('runs three at once, the likeliest, and the next when one has ended', async () => {
    const test = openTestRoom()
    test.predictions = [0.2, 0.9, 0.5, 0.7].map((p) => predicted(`fs:read${p}`, {}, p))
    await test.look()
    expect(test.made.map(({ tool }) => tool)).toEqual(['fs:read0.9', 'fs:read0.7', 'fs:read0.5'])
    expect(test.ledger().at(-1)).toBe('fs:read0.2 refused too many at once')
    test.made[1]!.give(text('x'))
    await turn()
    await test.look()
    expect(test.made).toHaveLength(4)
  })

  test('counts a call that was stopped until it has really ended', async () => {
    const test = openTestRoom({ callTool: () => new Promise(() => {}) })
    test.predictions = [1, 2, 3, 4].map((n) => predicted(`fs:read${n}`))
    await test.look()
    test.room.moved()
    await test.look()
    expect(test.ledger().filter((line) => line.includes('too many at once'))).toHaveLength(4)
  })

  test('does nothing when it is off, and looks at ten predictions at most', async () => {
    const test = openTestRoom({ judge: () => 'below cut-off' })
    test.predictions = Array.from({ length: 20 }, (_, n) => predicted(`fs:read${n}`))
    test.config = { ...testConfig, mode: 'off' }
    await test.look()
    test.room.prepare('s', [{ tool: 'fs:read' as ToolId, arguments: {} }], 1)
    expect(test.ledger()).toEqual([])
    test.config = testConfig
    await test.look()
    expect(test.ledger()).toHaveLength(10)
  })

  test('prepares what a plan will call where the plan is sure enough', async () => {
    const test = openTestRoom({ judge: ({ p }) => (p < 0.8 ? 'below cut-off' : undefined) })
    test.room.prepare(
      's',
      [
        { tool: 'fs:read' as ToolId, arguments: { path: 'a' } },
        { tool: 'fs:write' as ToolId, arguments: { path: 'a' } },
      ],
      0.9,
    )
    test.room.prepare('s', [{ tool: 'fs:read' as ToolId, arguments: { path: 'b' } }], 0.7)
    expect(test.ledger()).toEqual([
      'fs:read started',
      'fs:write refused not safe',
      'fs:read refused below cut-off',
    ])
    expect(test.entries.get('id1')).toMatchObject({ p: 0.9, source: 'plan' })
  })

  test('does not run again what nobody asked for while it held, until somebody does or a write has come', async () => {
    const test = openTestRoom()
    test.predictions = [predicted('fs:read')]
    const runAndExpire = async (): Promise<void> => {
      await test.look()
      test.made.at(-1)!.give(text('ahead'))
      await turn()
      test.clock.ms += 10 * 60_000 + 1
      await test.look()
    }
    await runAndExpire()
    expect(test.ledger()).toEqual(['fs:read started wasted', 'fs:read refused unused before'])
    const own = test.ask('fs:read')
    await turn()
    test.made.at(-1)!.give(text('own'))
    await own
    await test.look()
    expect(test.ledger().at(-1)).toBe('fs:read started')
  })

  test('never throws, and leaves real calls alone, whoever fails', async () => {
    const broken = (): never => {
      throw new Error('broken')
    }
    const parts = [
      'config',
      'predict',
      'judge',
      'isSafe',
      'isNeverAhead',
      'isWell',
      'onCall',
      'onEntry',
    ] as const
    for (const part of parts) {
      const test = openTestRoom({ [part]: broken })
      test.predictions = [predicted('fs:read')]
      await test.look()
      test.room.prepare('s', [{ tool: 'fs:other' as ToolId, arguments: {} }], 1)
      for (const call of test.made) call.give(text('ahead'))
      await turn()
      expect(test.room.prepared('s').length, part).toBeLessThanOrEqual(2)
      const before = test.made.length
      const own = test.ask('fs:read')
      await turn()
      if (test.made.length > before) test.made.at(-1)!.give(text('own'))
      expect((await own).content, part).toHaveLength(1)
      await test.room.close()
    }
  })

  test('leaves arguments alone that cannot be written or are too large', async () => {
    const test = openTestRoom()
    const circle: Record<string, unknown> = {}
    circle.self = circle
    const odd = [circle, { text: 'x'.repeat(70_000) }, { n: 1n }, [], null] as unknown as JsonObject[]
    test.predictions = [...odd.map((args) => predicted('fs:read', args)), predicted('fs:read', { ok: true })]
    await test.look()
    expect(test.made.map((call) => call.arguments)).toEqual([{ ok: true }])
    for (const args of odd) {
      const own = test.ask('fs:read', args)
      await turn()
      test.made.at(-1)!.give(text('own'))
      expect(await own).toEqual(text('own'))
    }
  })
})

describe('the end', () => {
  test('of a session stops what is under way for it, and nothing else', async () => {
    const test = openTestRoom()
    test.predictions = [predicted('fs:read')]
    await test.look('s')
    await test.look('other')
    test.room.endSession('s')
    await turn()
    expect(test.made.map((call) => call.isOver)).toEqual([true, false])
    expect(test.ledger()).toEqual(['fs:read started wasted', 'fs:read started'])
  })

  test('of the room wastes what is left, waits half a second at most, and passes calls on afterwards', async () => {
    const test = openTestRoom({
      callTool: () => new Promise(() => {}),
      judge: ({ tool }) => (tool === 'fs:other' ? 'below cut-off' : undefined),
    })
    test.predictions = [predicted('fs:read'), predicted('fs:other')]
    await test.look()
    const begin = performance.now()
    await test.room.close()
    expect(performance.now() - begin).toBeLessThan(800)
    expect(test.ledger()).toEqual(['fs:read started wasted', 'fs:other refused below cut-off wrong'])
    await test.look()
    expect(test.ledger()).toHaveLength(2)
  })

  test('of the room makes the call for who had joined one', async () => {
    const test = openTestRoom()
    test.predictions = [predicted('fs:read')]
    await test.look()
    const joined = test.ask('fs:read')
    await test.room.close()
    await turn()
    test.made[1]!.give(text('own'))
    expect(await joined).toEqual(text('own'))
    expect(test.ledger()).toEqual(['fs:read started wasted'])
  })
})

test('a result that changes is held for a shorter time, and what was learned of that outlives the room', async () => {
  const test = openTestRoom()
  for (let n = 0; n < 5; n++) {
    const own = test.ask('fs:read')
    test.made.at(-1)!.give(text(`${n}`))
    await own
    test.clock.ms += 1_000
    await new Promise((resolve) => setTimeout(resolve, 60))
  }
  expect(test.room.state()).toEqual({ tools: [['fs:read', 4, 0]] })
  const next = openTestRoom()
  next.room.load(test.room.state())
  next.predictions = [predicted('fs:read')]
  await next.look()
  next.made[0]!.give(text('ahead'))
  await turn()
  next.clock.ms += 5_999
  expect(next.room.prepared('s')).toHaveLength(1)
  next.clock.ms += 1
  expect(next.room.prepared('s')).toEqual([])
})
