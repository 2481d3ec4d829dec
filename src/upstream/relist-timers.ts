import type { Connection } from './connection.js'

/** Servers announce a change of many tools one by one: the list is asked for once, a moment after the last of them. */
export class RelistTimers {
  readonly #due = new Map<Connection, Map<string, NodeJS.Timeout>>()

  soon(connection: Connection, what: 'tools' | 'offers', relist: () => void): void {
    const due = this.#due.get(connection) ?? new Map<string, NodeJS.Timeout>()
    this.#due.set(connection, due)
    clearTimeout(due.get(what))
    const timer = setTimeout(() => {
      due.delete(what)
      if (due.size === 0) this.#due.delete(connection)
      relist()
    }, relistAfterMs)
    timer.unref()
    due.set(what, timer)
  }

  forget(connection: Connection): void {
    for (const timer of this.#due.get(connection)?.values() ?? []) clearTimeout(timer)
    this.#due.delete(connection)
  }

  clear(): void {
    for (const connection of [...this.#due.keys()]) this.forget(connection)
  }
}

const relistAfterMs = 100
