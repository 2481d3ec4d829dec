import { afterEach, expect, test } from 'vitest'
import { failure } from '../../test/servers/fixtures.js'
import { lastRedirectPort, listenForRedirect, type RedirectListener } from './listen-for-redirect.js'

const open = new Set<RedirectListener>()

afterEach(async () => {
  await Promise.all([...open].map((listener) => listener.close()))
  open.clear()
})

async function listen(port?: number, lastPort?: number): Promise<RedirectListener> {
  const listener = await listenForRedirect({ server: 'web', port, lastPort })
  open.add(listener)
  return listener
}

const portOf = ({ url }: RedirectListener): number => Number(new URL(url).port)

test('the first request to the address with the right state is the answer; others are none of it', async () => {
  const listener = await listen()
  const redirected = listener.redirected('s')
  const { origin } = new URL(listener.url)
  expect((await fetch(`${origin}/favicon.ico`)).status).toBe(404)
  expect((await fetch(listener.url, { method: 'POST' })).status).toBe(404)
  expect((await fetch(`${origin}//`)).status).toBe(404)
  for (const wrong of ['?code=c', '?code=c&state=other', '?error=access_denied'])
    expect((await fetch(listener.url + wrong)).status).toBe(400)
  const page = await fetch(`${listener.url}?code=c&state=s`)
  expect([page.status, await page.text()]).toEqual([
    200,
    expect.stringContaining('You can close this window'),
  ])
  expect(await redirected).toBe(`${listener.url}?code=c&state=s`)
  expect(new URL(listener.url).hostname).toBe('127.0.0.1')
})

test('the port of last time is taken when it is free, any other when it is not', async () => {
  const first = await listen()
  const port = portOf(first)
  expect(portOf(await listen(undefined, port))).not.toBe(port)
  await first.close()
  expect(lastRedirectPort([first.url])).toBe(port)
  expect(portOf(await listen(undefined, port))).toBe(port)
})

test('a configured port that is taken is an error with what to do', async () => {
  const port = portOf(await listen())
  expect(await failure(listen(port))).toMatchObject({
    code: 'AUTH',
    message: expect.stringContaining('EADDRINUSE'),
    hint: expect.stringContaining('set another one'),
  })
})
