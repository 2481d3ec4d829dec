import { afterEach, describe, expect, test } from 'vitest'
import { removeFolders, startAuthServer, temporaryFolder } from '../../test/servers/auth-fixtures.js'
import { closeAll, failure, httpServer } from '../../test/servers/fixtures.js'
import type { AuthRecord } from './auth-record.js'
import { type DeviceCode, signInByDevice } from './sign-in-by-device.js'
import { openTokenFile } from './token-file.js'

afterEach(async () => {
  await closeAll()
  removeFolders()
})

interface Watched {
  readonly record: Promise<AuthRecord>
  readonly shown: DeviceCode[]
  readonly waits: number[]
}

function signInTo(url: string, signal = new AbortController().signal): Watched {
  const server = httpServer(url)
  const shown: DeviceCode[] = []
  const waits: number[] = []
  const record = signInByDevice(server, {
    file: openTokenFile(temporaryFolder(), server),
    fetch,
    challenge: {},
    signal,
    wait: async (ms) => waits.push(ms),
    show: (code) => shown.push(code),
  })
  return { record, shown, waits }
}

describe('a sign-in by device', () => {
  test('shows the code, asks at the pace it is told, slower when told so, and through an outage', async () => {
    const { url, set } = await startAuthServer({ pending: 1, slowDown: 1, scopes: ['read'] })
    await set({ fail: 1 })
    const { record, shown, waits } = signInTo(url)
    expect((await record).tokens).toMatchObject({ scope: 'read', refresh_token: expect.any(String) })
    expect(shown).toMatchObject([
      { user_code: 'WDJB-MJHT', verification_uri: expect.stringMatching(/^http/) },
    ])
    // The outage, too soon, not yet, yes.
    expect(waits).toEqual([1_000, 1_000, 6_000, 6_000])
  })

  test('ends when the person says no', async () => {
    const { url } = await startAuthServer({ pending: 'deny' })
    expect((await failure(signInTo(url).record)).message).toContain('access was denied')
  })

  test('ends when nobody waits any more', async () => {
    const { url } = await startAuthServer({ pending: 1_000 })
    const controller = new AbortController()
    const reason = new Error('enough')
    const { record, waits } = signInTo(url, controller.signal)
    const ended = failure(record)
    while (waits.length < 3) await new Promise((resolve) => setTimeout(resolve, 10))
    controller.abort(reason)
    expect(await ended).toBe(reason)
  })

  test('says so where the authorization server has none', async () => {
    const { url } = await startAuthServer({ device: false })
    expect(await failure(signInTo(url).record)).toMatchObject({
      message: expect.stringContaining('no sign-in by device'),
      hint: expect.stringContaining('Leave out --device'),
    })
  })
})
