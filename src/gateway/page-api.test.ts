import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Decision } from '../model/decision.js'
import { pageKey } from './page-key.js'
import { makeTool, openTestGateway, type TestGateway } from './test-gateway.contract.js'

let house: TestGateway
let url: string
let decision: Decision
beforeEach(async () => {
  house = openTestGateway({ tools: [makeTool('files', 'delete')], config: { secrets: ['sk-12345678'] } })
  url = await house.listen()
  const tasks = [{ id: 'rm', tool: 'files:delete', arguments: { text: 'sk-12345678' } }]
  const body = JSON.stringify({ tasks, intent: 'use sk-12345678' })
  const run = await fetch(`${await house.listen('local')}/api/run`, { method: 'POST', body })
  decision = ((await run.json()) as { decisions: [Decision] }).decisions[0]
})
afterEach(() => house.close())

const answer = (headers: Record<string, string>, body: unknown = { verdict: 'approve' }, id = decision.id) =>
  fetch(`${url}/decisions/${id}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
const withKey = { 'x-pml-page': pageKey }
const isAnswered = async (): Promise<boolean> =>
  (await house.runs.findDecision(decision.id))?.answer !== undefined

it('whoever may see the page may read runs and decisions, without secrets', async () => {
  const runs = await (await fetch(`${url}/runs.json`)).text()
  const decisions = await (await fetch(`${url}/decisions.json`)).text()
  expect(JSON.parse(runs).runs).toMatchObject([{ status: 'approval_required', tasks: 1 }])
  expect(JSON.parse(decisions).decisions).toMatchObject([{ id: decision.id, tool: 'files:delete' }])
  expect(runs + decisions + (await (await fetch(url)).text())).not.toContain('sk-12345678')
})

it('the page answers with the key that is written into it', async () => {
  const html = await (await fetch(url)).text()
  expect(html).toContain(`<main data-key="${pageKey}">`)
  expect(html).toContain(`data-decision="${decision.id}"`)
  const reply = await answer(withKey, { verdict: 'approve', reason: 'looked at it' })
  expect(await reply.json()).toMatchObject({
    answer: { verdict: 'approve', by: 'page', reason: 'looked at it' },
  })
  expect(await (await fetch(url)).text()).not.toContain(`data-decision="${decision.id}"`)
})

describe('nothing is approved by', () => {
  it.each([
    ['who does not know the key', {}, 'NOT_THE_PAGE'],
    ['who guesses it', { 'x-pml-page': 'x'.repeat(32) }, 'NOT_THE_PAGE'],
    ['a page of another site', { ...withKey, origin: 'https://evil.example' }, 'BAD_ORIGIN'],
    ['a page without an origin', { ...withKey, origin: 'null' }, 'BAD_ORIGIN'],
  ])('%s', async (_who, headers, code) => {
    const reply = await answer(headers)
    expect([reply.status, await reply.json()]).toMatchObject([
      403,
      { error: { code, hint: expect.any(String) } },
    ])
    expect(await isAnswered()).toBe(false)
  })

  it('a request that merely fetches', async () => {
    for (const method of ['GET', 'PUT', 'DELETE'])
      expect(
        (await fetch(`${url}/decisions/${decision.id}?verdict=approve`, { method, headers: withKey })).status,
      ).toBe(405)
    expect(await isAnswered()).toBe(false)
  })

  it.each([
    ['no JSON', '{', 400],
    ['no verdict', {}, 400],
    ['a list', [], 400],
    ['too much', { verdict: 'approve', reason: 'x'.repeat(100_000) }, 413],
  ])('%s', async (_what, body, status) => {
    expect((await answer(withKey, body)).status).toBe(status)
    expect(await isAnswered()).toBe(false)
  })
})

it('a decision that is not there is not found', async () => {
  const reply = await answer(withKey, { verdict: 'approve' }, 'none')
  expect([reply.status, await reply.json()]).toMatchObject([404, { error: { code: 'DECISION_NOT_FOUND' } }])
})

it('needs the token where one is configured', async () => {
  house.setConfig({ http: { host: '127.0.0.1', port: 0, token: 'the-right-token' } })
  expect((await answer(withKey)).status).toBe(401)
  expect((await fetch(`${url}/decisions.json`)).status).toBe(401)
  expect((await answer({ ...withKey, authorization: 'Bearer the-right-token' })).status).toBe(200)
})

it('its events tell what happens from now on', async () => {
  const stop = new AbortController()
  const events = await fetch(`${url}/events`, { signal: stop.signal })
  expect(events.headers.get('content-type')).toBe('text/event-stream')
  await answer(withKey, { verdict: 'reject' })
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of events.body!) {
    text += decoder.decode(chunk as Uint8Array, { stream: true })
    if (text.includes('event: run-end')) break
  }
  expect(text).toContain('event: decision-end')
  expect(text).not.toContain('sk-12345678')
  const head = await fetch(`${url}/events`, { method: 'HEAD' })
  expect([head.status, await head.text()]).toEqual([200, ''])
})
