/**
 * What is read of a server holds for the epoch in which it was read. A call that may write ends one when it begins and another one when it
 * ends, so that what was read before, or meanwhile, is of an epoch that is over:
 *
 *     epoch 7 │ 8, write under way │ 9
 *     a read  │ nothing is begun   │ nothing of 7 or 8 is given
 *
 * A write of which no answer came may go on at the server after we stopped waiting: until that has settled, it counts as under way.
 */
export interface ServerEpochs {
  /** Never the same again once it has moved. */
  epoch(server: string): number
  /** A call that may write is under way, or may be. */
  isWritten(server: string): boolean
  /** What is given back ends it, once. `isAnswered`: the server has said how it went. */
  beginWrite(server: string): (isAnswered: boolean) => void
  /** Absent: each of them. */
  moved(server?: string): void
}

/** Our guess, not measured: most programs give up on a request of their own after 10 to 30 s. */
const settlesWithinMs = 30_000
/** Names come with calls, so there may be any number; beyond this all epochs end, which is always right. */
const mostServers = 1_000

export function createServerEpochs({ now }: { now(): number }): ServerEpochs {
  /** Of all servers, so that no epoch of one is ever another's, or its own of before. */
  let last = 0
  let ofOthers = 0
  const own = new Map<string, number>()
  const writes = new Map<string, number>()
  const unsettled = new Map<string, number>()

  const moved = (server?: string): void => {
    last += 1
    if (server === undefined || own.size >= mostServers) {
      own.clear()
      ofOthers = last
    } else own.set(server, last)
  }
  const settle = (server: string): void => {
    unsettled.delete(server)
    unsettled.set(server, now() + settlesWithinMs)
    if (unsettled.size > mostServers) unsettled.delete(unsettled.keys().next().value!)
  }
  return {
    moved,
    epoch: (server) => own.get(server) ?? ofOthers,
    isWritten(server) {
      if (writes.has(server)) return true
      const until = unsettled.get(server)
      if (until === undefined) return false
      if (now() < until) return true
      unsettled.delete(server)
      return false
    },
    beginWrite(server) {
      moved(server)
      writes.set(server, (writes.get(server) ?? 0) + 1)
      let isUnderWay = true
      return (isAnswered) => {
        if (!isUnderWay) return
        isUnderWay = false
        const others = writes.get(server)! - 1
        if (others === 0) writes.delete(server)
        else writes.set(server, others)
        if (!isAnswered) settle(server)
        moved(server)
      }
    },
  }
}
