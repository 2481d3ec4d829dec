import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Answerer, Verdict } from '../../model/decision.js'
import { silentLog } from '../../model/log.js'
import { newId } from '../../model/new-id.js'
import { formatToolId, type ToolId } from '../../model/tool.js'
import { openStore } from '../../store/open-store.js'
import type { Store } from '../../store/store.js'
import { createPreferences, type Preferences } from './create-preferences.js'

const dataDirectory = mkdtempSync(join(tmpdir(), 'pml-preferences-'))
let store: Store
let preferences: Preferences
/** Each test has a tool of its own. */
let tool: ToolId
let tools = 0
let isAway = false

beforeAll(async () => {
  store = await openStore({
    dataDirectory,
    signal: new AbortController().signal,
    onProgress() {},
    log: silentLog,
  })
})
afterAll(async () => {
  await store.close()
  rmSync(dataDirectory, { recursive: true, force: true, maxRetries: 3 })
})
beforeEach(() => {
  isAway = false
  tool = formatToolId('files', `write${++tools}`)
  preferences = open()
})

function open(): Preferences {
  return createPreferences({
    store: async () => {
      if (isAway) throw new Error('away')
      return store
    },
    now: Date.now,
    newId,
    log: silentLog,
  })
}

async function answer(verdicts: string, by: Answerer = 'command line'): Promise<void> {
  const named: Record<string, Verdict> = { y: 'approve', n: 'reject' }
  for (const one of verdicts) await preferences.answered({ tool, verdict: named[one]!, by })
}

async function audit() {
  return (await store.listPermissionAudit({ limit: 100 })).filter(({ subject }) => subject === tool)
}

describe('what people answer', () => {
  it.each([
    ['y', undefined],
    ['yy', undefined],
    ['yyy', 'approved'],
    ['yyn', undefined],
    ['yyyn', undefined],
    ['nyyy', 'approved'],
    ['n', undefined],
    ['nn', 'refused'],
    ['yyynn', 'refused'],
    ['nny', undefined],
    ['nnyyy', 'approved'],
    ['nynyn', undefined],
  ])('%s: %s', async (verdicts, standing) => {
    await answer(verdicts)
    expect(preferences.standing(tool)).toBe(standing)
  })

  it.each<Answerer>(['agent', 'clock', 'run'])('and nobody else: %s', async (by) => {
    await answer('yyynn', by)
    expect(preferences.of(tool)).toBeUndefined()
  })

  it.each<Answerer>(['elicitation', 'page', 'command line'])('through any door: %s', async (by) => {
    await answer('yyy', by)
    expect(preferences.standing(tool)).toBe('approved')
  })

  it('at the same time is counted each', async () => {
    await Promise.all(Array.from({ length: 5 }, () => answer('y')))
    expect(preferences.of(tool)).toMatchObject({ approvals: 5, rejections: 0, streak: 5 })
  })

  it('is known to the next process', async () => {
    await answer('nn')
    const next = open()
    await next.load(store)
    expect(next.standing(tool)).toBe('refused')
    expect(next.list().some((one) => one.tool === tool)).toBe(true)
  })
})

describe('decisions', () => {
  const decide = (
    runId: string | undefined,
    verdict: Verdict | 'expire' | 'withdraw',
    kind: 'call' | 'repeat' = 'call',
  ) => preferences.decided({ kind, tool, ...(runId && { runId }), answer: { verdict, by: 'page', at: 1 } })

  it('of one run that are answered alike count once: it was one gesture', async () => {
    for (let i = 0; i < 5; i++) await decide('r1', 'approve')
    expect(preferences.of(tool)).toMatchObject({ approvals: 1 })
    await decide('r2', 'approve')
    await decide('r3', 'approve')
    expect(preferences.standing(tool)).toBe('approved')
  })

  it('of calls that clients made themselves count each', async () => {
    for (let i = 0; i < 3; i++) await decide(undefined, 'approve')
    expect(preferences.standing(tool)).toBe('approved')
  })

  it('that nobody answered, or about a repetition, say nothing', async () => {
    await decide('r1', 'expire')
    await decide('r2', 'withdraw')
    await decide('r3', 'reject', 'repeat')
    await preferences.decided({ kind: 'call', tool })
    expect(preferences.of(tool)).toBeUndefined()
  })
})

describe('the audit', () => {
  it('has every change of a standing, and says which one allows more', async () => {
    await answer('yyyynn')
    expect((await audit()).map(({ before, after, isEscalation }) => [before, after, isEscalation])).toEqual([
      ['none', 'refused', false],
      ['approved', 'none', false],
      ['none', 'approved', true],
    ])
    expect((await audit())[0]).toMatchObject({ what: 'preference', by: 'command line' })
  })

  it('undo takes back what was answered, and is in it', async () => {
    await answer('nn')
    expect(await preferences.undo(tool, 'command line')).toBe(true)
    expect(preferences.standing(tool)).toBeUndefined()
    expect((await audit())[0]).toMatchObject({
      what: 'preference-undone',
      before: 'refused',
      isEscalation: true,
    })
    expect(await preferences.undo(tool, 'command line')).toBe(false)
    const next = open()
    await next.load(store)
    expect(next.standing(tool)).toBeUndefined()
    expect(next.list().some((one) => one.tool === tool)).toBe(false)
  })
})

describe('while the store is away', () => {
  it('a no counts, and what allows more does not', async () => {
    await answer('yy')
    isAway = true
    await answer('y')
    expect(preferences.standing(tool)).toBeUndefined()
    await answer('nn')
    expect(preferences.standing(tool)).toBe('refused')
    await expect(preferences.undo(tool, 'command line')).rejects.toThrow('away')
    expect(preferences.standing(tool)).toBe('refused')
  })

  it('what was said meanwhile outlives that the store is opened again', async () => {
    await answer('y')
    isAway = true
    await answer('nn')
    isAway = false
    await preferences.load(store)
    expect(preferences.standing(tool)).toBe('refused')
  })
})
