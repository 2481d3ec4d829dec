/**
 * The `subscriptions/listen` of one connection to a server of 2026-07-28: one stream at a time, for everything of interest.
 * What is of interest changes with the resources that clients watch: then a new stream is opened before the old one is
 * closed, so that nothing is missed. A stream that the server ends is opened again.
 */
import type { Client } from '@modelcontextprotocol/client'
import { backoffMs } from './backoff.js'

type Filter = Parameters<Client['listen']>[0]
type Listening = Awaited<ReturnType<Client['listen']>>

export interface SubscriptionOptions {
  readonly client: Client
  filter(): Filter
  /** The server ended a stream, and another is open now: what changed meanwhile is found by asking. */
  onGap(): void
  /** The server refused, or is out of reach. */
  onRefused(error: unknown): void
}

export interface Subscription {
  /** Resolves when the server has acknowledged what is of interest now. */
  update(): Promise<void>
  close(): void
}

const acknowledgeWithinMs = 10_000
const reopenAfterMs = 1000
const stableAfterMs = 10_000

export function createSubscription(options: SubscriptionOptions): Subscription {
  let current: Listening | undefined
  /** The one that waits for its turn: it will ask for all that is of interest by then. */
  let waiting: Promise<void> | undefined
  let turn: Promise<void> = Promise.resolve()
  let shortLived = 0
  let closed = false

  const open = async (isGap: boolean): Promise<void> => {
    const filter = options.filter()
    if (closed || Object.keys(filter).length === 0) return replace(undefined)
    const listening = await options.client.listen(filter, { timeout: acknowledgeWithinMs })
    const openedAt = Date.now()
    replace(listening)
    if (isGap) options.onGap()
    void listening.closed.then((cause) => {
      // By us, or because another took its place. A server that ends its streams as it goes down is there again soon.
      if (closed || current !== listening || cause === 'local') return
      current = undefined
      shortLived = Date.now() - openedAt < stableAfterMs ? shortLived + 1 : 0
      const reopen = (): void => void enqueue(true).catch(options.onRefused)
      setTimeout(reopen, Math.max(reopenAfterMs, backoffMs(shortLived))).unref()
    })
  }
  const replace = (next: Listening | undefined): void => {
    const before = current
    current = next
    void before?.close().catch(() => {})
  }
  const enqueue = (isGap: boolean): Promise<void> => {
    if (waiting !== undefined && !isGap) return waiting
    const mine = turn.then(() => {
      if (waiting === mine) waiting = undefined
      return closed ? undefined : open(isGap)
    })
    waiting = mine
    turn = mine.catch(() => {})
    return mine
  }
  return {
    update: () => enqueue(false),
    close() {
      closed = true
      current = undefined
    },
  }
}
