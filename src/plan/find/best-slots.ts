/**
 * The slots with the highest values, best first, ties in the order of `isBefore`. One pass with a heap of `count`: almost
 * every slot is turned away by one comparison, where sorting all of 100,000 would take longer than the rest of a search.
 */
export function bestSlots(
  values: Float64Array,
  count: number,
  isBefore: (a: number, b: number) => boolean,
): number[] {
  const heap: number[] = []
  const isWorse = (a: number, b: number): boolean =>
    values[a]! < values[b]! || (values[a]! === values[b]! && isBefore(b, a))
  const sink = (from: number): void => {
    for (let at = from; ; ) {
      const left = 2 * at + 1
      let worst = at
      if (left < heap.length && isWorse(heap[left]!, heap[worst]!)) worst = left
      if (left + 1 < heap.length && isWorse(heap[left + 1]!, heap[worst]!)) worst = left + 1
      if (worst === at) return
      ;[heap[at], heap[worst]] = [heap[worst]!, heap[at]!]
      at = worst
    }
  }
  if (count < 1) return heap
  for (let slot = 0; slot < values.length; slot++) {
    if (!(values[slot]! > 0)) continue
    if (heap.length < count) {
      heap.push(slot)
      if (heap.length === count) for (let at = (count - 2) >> 1; at >= 0; at--) sink(at)
    } else if (values[slot]! >= values[heap[0]!]! && isWorse(heap[0]!, slot)) {
      heap[0] = slot
      sink(0)
    }
  }
  return heap.sort((a, b) => (isWorse(b, a) ? -1 : 1))
}
