import { setTimeout as sleep } from 'node:timers/promises'
import type { OpenConnection } from './connect-server.js'
import type { Connection } from './connection.js'

/** A session that stays silent this long has left without saying so. */
const idleMs = 10 * 60_000
const lookEveryMs = 200

interface Slot {
  readonly opening: Promise<Connection>
  connection: Connection | undefined
  idleTimer: NodeJS.Timeout | undefined
}

/** The connections of a stateful server: one for each session, so that no session sees another's state. */
export class SessionConnections {
  readonly #open: (session: string) => Promise<OpenConnection>
  readonly #slots = new Map<string, Slot>()
  readonly #ending = new Set<Promise<void>>()
  readonly #closing = new AbortController()

  constructor(open: (session: string) => Promise<OpenConnection>) {
    this.#open = open
  }

  async get(session: string): Promise<Connection> {
    const slot = this.#slots.get(session) ?? this.#create(session)
    this.#touch(session, slot)
    return slot.opening
  }

  /** The open connection of a session, which counts as used by this. */
  find(session: string): Connection | undefined {
    const slot = this.#slots.get(session)
    if (slot?.connection !== undefined) this.#touch(session, slot)
    return slot?.connection
  }

  pids(): readonly (number | undefined)[] {
    return [...this.#slots.values()].map((slot) => slot.connection?.pid)
  }

  connections(): readonly Connection[] {
    return [...this.#slots.values()].flatMap((slot) => slot.connection ?? [])
  }

  /** A call that waits for an answer of its client outlives the session it began in: its connection ends after it. */
  end(session: string): void {
    const slot = this.#slots.get(session)
    if (slot === undefined) return
    this.#slots.delete(session)
    clearTimeout(slot.idleTimer)
    const ending = slot.opening.then((connection) => this.#closeWhenIdle(connection)).catch(() => {})
    this.#ending.add(ending)
    void ending.then(() => this.#ending.delete(ending))
  }

  endAll(): void {
    for (const session of [...this.#slots.keys()]) this.end(session)
  }

  async close(): Promise<void> {
    this.#closing.abort()
    this.endAll()
    await Promise.all(this.#ending)
  }

  async #closeWhenIdle(connection: Connection): Promise<void> {
    const { signal } = this.#closing
    while (connection.isBusy && !signal.aborted) {
      await sleep(lookEveryMs, undefined, { signal, ref: false }).catch(() => {})
    }
    await connection.close()
  }

  #create(session: string): Slot {
    const forget = (): void => {
      if (this.#slots.get(session) !== slot) return
      clearTimeout(slot.idleTimer)
      this.#slots.delete(session)
    }
    const opening = this.#open(session).then(({ connection }) => {
      slot.connection = connection
      // Its state is gone with it: the next call begins anew.
      void connection.lost.then(forget)
      return connection
    })
    const slot: Slot = { opening, connection: undefined, idleTimer: undefined }
    opening.catch(forget)
    this.#slots.set(session, slot)
    return slot
  }

  #touch(session: string, slot: Slot): void {
    clearTimeout(slot.idleTimer)
    slot.idleTimer = setTimeout(() => {
      if (slot.connection?.isBusy) this.#touch(session, slot)
      else this.end(session)
    }, idleMs)
    slot.idleTimer.unref()
  }
}
