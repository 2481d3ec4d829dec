/**
 * Events of one run, kept until the run is forgotten: whoever subscribes, and whenever, sees all from the first on. The
 * list is bounded by the run itself: two events per task, two for the run.
 */
export class EventLog<T> implements AsyncIterable<T> {
  readonly #events: T[] = []
  #ended = false
  #wake: () => void = () => {}
  #changed = this.#nextChange()

  push(event: T): void {
    this.#events.push(event)
    this.#announce()
  }

  end(): void {
    this.#ended = true
    this.#announce()
  }

  /** Each subscriber has its own place in the list; one that stops reading costs nothing and holds up nobody. */
  async *[Symbol.asyncIterator](): AsyncGenerator<T, void> {
    for (let next = 0; ; next++) {
      while (next >= this.#events.length) {
        if (this.#ended) return
        await this.#changed
      }
      yield this.#events[next]!
    }
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
