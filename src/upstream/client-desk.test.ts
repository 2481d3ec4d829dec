import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { callText, closeAll, fixture, startedUpstreams, waitFor } from '../../test/servers/fixtures.js'
import type { ClientSide, Notice } from '../model/client-side.js'
import type { ToolId } from '../model/tool.js'

afterEach(closeAll)

const everything = { elicitation: { form: {} }, sampling: {}, roots: {} }

function person(ask: ClientSide['ask'], told: Notice[] = []): ClientSide {
  return {
    capabilities: everything,
    ask,
    tell: (notice) => void told.push(notice),
    takesInputRequired: false,
  }
}

const accepting = person(async () => ({ action: 'accept', content: { name: 'Ada' } }))
const call = (client: ClientSide, extra: object = {}) => ({ client, ...extra })

describe.each(['legacy', 'modern'])('a server that asks (%s)', (era) => {
  const talkative = (changes: object = {}) => {
    const base = fixture('talkative', { name: 'talk', ...changes })
    return { ...base, args: [...base.args, '--era', era] }
  }

  it('the time a person takes does not count against the call', async () => {
    const upstreams = await startedUpstreams([talkative({ timeoutMs: 1500 })])
    const slow = person(async () => {
      await new Promise((resolve) => setTimeout(resolve, 2500))
      return { action: 'accept', content: { name: 'Ada' } }
    })
    expect(await callText(upstreams, 'talk:ask_name', {}, call(slow))).toBe('Hello Ada')
  })

  it('what the client refuses is told to the server in its words', async () => {
    const upstreams = await startedUpstreams([talkative()])
    const refusing = person(() => Promise.reject(new Error('not now')))
    const outcome = await callText(upstreams, 'talk:ask_name', {}, call(refusing)).catch(String)
    expect(outcome).toContain('not now')
  })

  it('a question ends with the call it belongs to', async () => {
    const upstreams = await startedUpstreams([talkative()])
    const stop = new AbortController()
    const over = new Promise<void>((resolve) => {
      const waiting = person((_, signal) => {
        signal.addEventListener('abort', () => resolve())
        stop.abort()
        return new Promise(() => {})
      })
      void callText(upstreams, 'talk:ask_name', {}, call(waiting, { signal: stop.signal })).catch(() => {})
    })
    await over
  })

  it('a client without the capability is not asked', async () => {
    const upstreams = await startedUpstreams([talkative()])
    const mute: ClientSide = { ...accepting, capabilities: { roots: {} } }
    const outcome = await callText(upstreams, 'talk:ask_name', {}, call(mute)).catch(String)
    expect(outcome).toMatch(/not support elicitation|do not declare the required capability/)
  })
})

describe('a server of a 2025 revision that several sessions call at once', () => {
  it('has its log messages told to the session they are for, or to nobody', async () => {
    const upstreams = await startedUpstreams([fixture('talkative', { name: 'talk' })])
    const [ada, bob]: [Notice[], Notice[]] = [[], []]
    await callText(upstreams, 'talk:say', {}, call(person(accepting.ask, ada), { session: 'ada' }))
    expect(ada.map(({ params }) => params.level)).toEqual(['debug', 'warning'])
    const stop = new AbortController()
    const waiting = upstreams.callTool({
      tool: 'talk:wait' as ToolId,
      arguments: {},
      session: 'bob',
      signal: stop.signal,
      client: person(accepting.ask, bob),
    })
    waiting.catch(() => {})
    await callText(upstreams, 'talk:say', {}, call(person(accepting.ask, ada), { session: 'ada' }))
    expect([ada.length, bob.length]).toEqual([2, 0])
    stop.abort()
  })

  it('never asks one what belongs to a call that another gave up', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pml-late-'))
    const file = join(folder, 'outcome')
    const upstreams = await startedUpstreams([
      fixture('talkative', { name: 'talk', env: { LATE_FILE: file } }),
    ])
    const asked: string[] = []
    const somebody = (name: string) =>
      person(async () => {
        asked.push(name)
        return { action: 'accept', content: { name } }
      })
    const [stopAda, stopBob] = [new AbortController(), new AbortController()]
    const wait = (tool: string, session: string, stop: AbortController) =>
      callText(upstreams, tool, {}, call(somebody(session), { session, signal: stop.signal })).catch(() => {})
    void wait('talk:wait', 'bob', stopBob)
    void wait('talk:ask_late', 'ada', stopAda)
    await waitFor(async () => (await callText(upstreams, 'talk:waits')).startsWith('1 waiting'))
    stopAda.abort()
    const late = await waitFor(() => existsSync(file) && (readFileSync(file, 'utf8') || undefined))
    expect(asked).toEqual([])
    expect(late).toMatch(/cannot be told whom|not support/)
    stopBob.abort()
    rmSync(folder, { recursive: true })
  })
})
