/** The resources of one server that clients watch, counted: the server is asked once for all of them, and told when nobody is left. */
export class ResourceWatches {
  readonly #counts = new Map<string, number>()
  readonly #apply: (uris: ReadonlySet<string>) => Promise<void>

  /** `apply` has the server told what is watched now. */
  constructor(apply: (uris: ReadonlySet<string>) => Promise<void>) {
    this.#apply = apply
  }

  has(uri: string): boolean {
    return this.#counts.has(uri)
  }

  /** Resolves with what ends it; rejects when the server refuses. */
  async add(uri: string): Promise<() => void> {
    this.#counts.set(uri, (this.#counts.get(uri) ?? 0) + 1)
    let isReleased = false
    const release = (): void => {
      if (isReleased) return
      isReleased = true
      const left = (this.#counts.get(uri) ?? 1) - 1
      if (left > 0) this.#counts.set(uri, left)
      else this.#counts.delete(uri)
      if (left === 0) this.renew()
    }
    try {
      await this.#apply(this.#uris())
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

  #uris(): ReadonlySet<string> {
    return new Set(this.#counts.keys())
  }
}
