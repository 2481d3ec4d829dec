/**
 * Events in order, for any number of readers, each with its own place in the list. The rule for slow ones: the newest `capacity`
 * events are kept, and who falls further behind goes on with the oldest that is left, after `lost(count)` in the place of those
 * that it missed. No reader holds up the writer or another reader, and one that stops reading costs nothing.
 */
export class EventLog<T> implements AsyncIterable<T> {
  readonly #capacity: number
  readonly #lost: (count: number) => T
  /** The newest ones; the first of them is number `#base`. */
  #events: T[] = []
  #base = 0
  #ended = false
  #wake: () => void = () => {}
  #changed = this.#nextChange()

  constructor({ capacity, lost }: { readonly capacity: number; lost(count: number): T }) {
    this.#capacity = capacity
    this.#lost = lost
  }

  push(event: T): void {
    this.#events.push(event)
    // In halves, so that dropping one does not move all of them each time.
    if (this.#events.length >= this.#capacity * 2) {
      const dropped = this.#events.length - this.#capacity
      this.#events = this.#events.slice(dropped)
      this.#base += dropped
    }
    this.#announce()
  }

  end(): void {
    this.#ended = true
    this.#announce()
  }

  [Symbol.asyncIterator](): AsyncGenerator<T, void> {
    return this.#read(0)
  }

  /** What comes from now on, until the signal. */
  fromNow(signal: AbortSignal): AsyncGenerator<T, void> {
    return this.#read(this.#base + this.#events.length, signal)
  }

  async *#read(from: number, signal?: AbortSignal): AsyncGenerator<T, void> {
    let next = from
    while (!signal?.aborted) {
      const oldest = this.#oldest()
      if (next < oldest) {
        yield this.#lost(oldest - next)
        next = oldest
        continue
      }
      if (next < this.#base + this.#events.length) {
        yield this.#events[next++ - this.#base]!
        continue
      }
      if (this.#ended) return
      await this.#change(signal)
    }
  }

  /** Nothing of it stays with the signal, which may live as long as the gateway: a race with one promise would. */
  #change(signal: AbortSignal | undefined): Promise<void> {
    if (signal === undefined) return this.#changed
    return new Promise((resolve) => {
      const go = (): void => {
        signal.removeEventListener('abort', go)
        resolve()
      }
      signal.addEventListener('abort', go)
      void this.#changed.then(go)
    })
  }

  #oldest(): number {
    return this.#base + Math.max(0, this.#events.length - this.#capacity)
  }

  #announce(): void {
    const wake = this.#wake
    this.#changed = this.#nextChange()
    wake()
  }

  #nextChange(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }
}
