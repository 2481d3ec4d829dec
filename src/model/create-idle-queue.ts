export interface IdleQueue<Item> {
  add(item: Item): void
  /** How many wait. */
  readonly size: number
  /** Takes all that wait, now. */
  drain(): void
  /** Nothing is taken until `release`, but by `drain`. */
  hold(): void
  release(): void
}

/** The loop is given back after so long: a request waits for one slice at most. */
const sliceMs = 4

/**
 * What is done when nobody waits for it: items are taken in their order, a slice at a time, with a turn of the loop between slices. Of
 * more than `most` that wait, the oldest are given to `drop` instead. `take` must not throw.
 */
export function createIdleQueue<Item>({
  most,
  take,
  drop,
}: {
  readonly most: number
  take(item: Item): void
  drop(item: Item): void
}): IdleQueue<Item> {
  let items: Item[] = []
  let first = 0
  let due: NodeJS.Immediate | undefined
  let isHeld = false

  const compact = (): void => {
    if (first < 1_000 && first < items.length) return
    items = items.slice(first)
    first = 0
  }
  const work = (until: number): void => {
    while (first < items.length && performance.now() < until) take(items[first++]!)
    compact()
  }
  const pump = (): void => {
    due = undefined
    if (isHeld) return
    work(performance.now() + sliceMs)
    if (first < items.length) due = setImmediate(pump)
  }
  return {
    add(item) {
      items.push(item)
      if (items.length - first > most) drop(items[first++]!)
      due ??= setImmediate(pump)
    },
    get size() {
      return items.length - first
    },
    drain() {
      clearImmediate(due)
      due = undefined
      work(Number.POSITIVE_INFINITY)
    },
    hold() {
      isHeld = true
    },
    release() {
      isHeld = false
      due ??= setImmediate(pump)
    },
  }
}
