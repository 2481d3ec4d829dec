import type { ChildProcess } from 'node:child_process'
import { setTimeout as wait } from 'node:timers/promises'

/** From the closing of standard input: SIGTERM after this long, SIGKILL after that long, given up on at the last. */
const termAfterMs = 300
const killAfterMs = 1000
const giveUpAfterMs = 1400
const pollMs = 15

/**
 * Ends a child and everything it started. It must have been spawned `detached`, so that it leads a process group of its
 * own: `npx` and shell wrappers do not pass signals on, and their descendants would outlive us.
 */
export async function endProcess(child: ChildProcess): Promise<void> {
  const pid = child.pid
  if (pid === undefined) return
  const startedAt = performance.now()
  child.stdin?.end()
  const steps: { readonly afterMs: number; readonly signal: NodeJS.Signals }[] = [
    { afterMs: termAfterMs, signal: 'SIGTERM' },
    { afterMs: killAfterMs, signal: 'SIGKILL' },
  ]
  while (!isGone(child, pid)) {
    const elapsedMs = performance.now() - startedAt
    if (elapsedMs >= giveUpAfterMs) break
    if (steps[0] !== undefined && elapsedMs >= steps[0].afterMs) signalGroup(pid, steps.shift()!.signal)
    await wait(pollMs)
  }
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy()
}

/** What outlives the leader of its group is nobody's: it cannot be reached any more and must not stay. */
export function endLeftovers(child: ChildProcess): void {
  if (child.pid !== undefined) signalGroup(child.pid, 'SIGKILL')
}

const alive = new Set<ChildProcess>()

/**
 * The last resort: when this process exits without `close()`, its children end with it. A death by SIGKILL, or by a signal
 * that nobody handles, is no exit: then children see the end of their input, and stubborn ones stay. The command line
 * handles SIGINT, SIGTERM and SIGHUP.
 */
export function endWithUs(child: ChildProcess): void {
  // It could not be spawned, and will never say that it exited.
  if (child.pid === undefined) return
  if (alive.size === 0) process.once('exit', endAll)
  alive.add(child)
  child.once('exit', () => {
    alive.delete(child)
    if (alive.size === 0) process.off('exit', endAll)
  })
}

function endAll(): void {
  for (const child of alive) endLeftovers(child)
}

function isGone(child: ChildProcess, pid: number): boolean {
  const leaderGone = child.exitCode !== null || child.signalCode !== null
  return leaderGone && !signalGroup(pid, 0)
}

function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, signal)
    return true
  } catch {
    return false
  }
}
