/** The resources of one server that clients watch, counted: the server is asked once for all of them, and told when nobody is left. */
export class ResourceWatches {
  readonly #watched = new Map<string, { count: number; readonly asked: Promise<void> }>()
  #apply: (uris: ReadonlySet<string>) => Promise<void>

  /** `apply` has the server told what is watched now. */
  constructor(apply: (uris: ReadonlySet<string>) => Promise<void>) {
    this.#apply = apply
  }

  has(uri: string): boolean {
    return this.#watched.has(uri)
  }

  /** Resolves with what ends it; rejects when the server refuses. */
  async add(uri: string): Promise<() => void> {
    const known = this.#watched.get(uri)
    if (known !== undefined) known.count += 1
    else this.#watched.set(uri, { count: 1, asked: this.#apply(new Set([...this.#uris(), uri])) })
    const { asked } = this.#watched.get(uri)!
    let isReleased = false
    const release = (): void => {
      if (isReleased) return
      isReleased = true
      const watch = this.#watched.get(uri)
      if (watch === undefined) return
      watch.count -= 1
      if (watch.count > 0) return
      this.#watched.delete(uri)
      this.renew()
    }
    try {
      await asked
    } catch (error) {
      release()
      throw error
    }
    return release
  }

  /** After a reconnect, and when something is watched no more. */
  renew(): void {
    this.#apply(this.#uris()).catch(() => {})
  }

  /** The server is reached another way from now on; whoever watches goes on watching. */
  moveTo(apply: (uris: ReadonlySet<string>) => Promise<void>): void {
    this.#apply = apply
  }

  #uris(): ReadonlySet<string> {
    return new Set(this.#watched.keys())
  }
}
