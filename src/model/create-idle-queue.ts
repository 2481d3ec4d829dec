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

/** A request waits for one slice at most. */
const sliceMs = 2
/** Of the thread's time: requests come first, and what waits too long is dropped. */
const shareOfTime = 0.05

/**
 * What is done when nobody waits for it: items are taken in their order, a slice at a time, with nineteen times as long in between. Of
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
  let due: NodeJS.Timeout | undefined
  let isHeld = false
  /** Whoever comes when nothing waits does not begin the next slice at once. */
  let restsUntil = 0

  const work = (until: number): void => {
    while (first < items.length && performance.now() < until) take(items[first++]!)
    if (first < 1_000 && first < items.length) return
    items = items.slice(first)
    first = 0
  }
  const pump = (): void => {
    due = undefined
    if (isHeld) return
    const begin = performance.now()
    work(begin + sliceMs)
    const end = performance.now()
    restsUntil = end + (end - begin) * (1 / shareOfTime - 1)
    if (first < items.length) schedule()
  }
  const schedule = (): void => {
    due ??= setTimeout(pump, Math.max(0, restsUntil - performance.now())).unref()
  }
  return {
    add(item) {
      items.push(item)
      if (items.length - first > most) drop(items[first++]!)
      schedule()
    },
    get size() {
      return items.length - first
    },
    drain() {
      clearTimeout(due)
      due = undefined
      work(Number.POSITIVE_INFINITY)
    },
    hold() {
      isHeld = true
    },
    release() {
      isHeld = false
      if (first < items.length) schedule()
    },
  }
}
