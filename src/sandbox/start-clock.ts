import { readCpuMs } from './process-figures.js'

export interface Clock {
  /** Time stands still until the function it gives is called, but for what is computed meanwhile. */
  hold(): () => void
  /** False: nobody asked. */
  pong(nonce: string): boolean
  stop(): void
}

export interface ClockOptions {
  readonly wallMs: number
  readonly pid: number
  ping(nonce: string): void
  newNonce(): string
  onEnd(): void
}

const beatMs = 100
/** Of a beat: answering takes the child a little processor time, too. */
const idleShare = 0.1

/**
 * The wall clock of a run. While it is held, a beat counts as far as the child was busy: whole where it has not answered the last ping,
 * whose nonce cannot be known before it is read, and took processor time; else by that time, where it can be read.
 */
export function startClock({ wallMs, pid, ping, newNonce, onEnd }: ClockOptions): Clock {
  const unanswered = new Set<string>()
  let spentMs = 0
  let since = performance.now()
  let cpuMs: number | undefined
  let holds = 0
  let isStopped = false
  let timer: NodeJS.Timeout | undefined

  const run = (): void => {
    since = performance.now()
    timer = setTimeout(onEnd, Math.max(0, wallMs - spentMs))
  }
  const pause = (): void => {
    clearTimeout(timer)
    spentMs += performance.now() - since
    since = performance.now()
    cpuMs = readCpuMs(pid)
    sendPing()
    timer = setInterval(beat, beatMs)
  }
  const beat = (): void => {
    const passed = performance.now() - since
    const cpuBefore = cpuMs
    since = performance.now()
    cpuMs = readCpuMs(pid)
    const isKnown = cpuMs !== undefined && cpuBefore !== undefined
    const busyMs = isKnown ? cpuMs! - cpuBefore! : 0
    // On a busy machine an answer may be late although nothing is computed.
    if (unanswered.size > 0 && (!isKnown || busyMs > 0)) spentMs += passed
    else if (busyMs > passed * idleShare) spentMs += Math.min(busyMs, passed)
    if (unanswered.size === 0) sendPing()
    if (spentMs >= wallMs) onEnd()
  }
  const sendPing = (): void => {
    const nonce = newNonce()
    unanswered.add(nonce)
    ping(nonce)
  }
  const release = (): void => {
    holds -= 1
    if (holds > 0 || isStopped) return
    clearInterval(timer)
    run()
  }

  run()
  return {
    hold() {
      holds += 1
      if (holds === 1 && !isStopped) pause()
      let isHeld = true
      return () => {
        if (isHeld) release()
        isHeld = false
      }
    },
    pong: (nonce) => unanswered.delete(nonce),
    stop() {
      isStopped = true
      clearTimeout(timer)
    },
  }
}
