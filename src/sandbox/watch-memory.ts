import { askRss, readRss } from './process-figures.js'

export interface MemoryWatch {
  stop(): void
}

export interface MemoryWatchOptions {
  readonly pid: number
  readonly mostBytes: number
  onExceeded(): void
}

/** A file of /proc is read in 30 us; `ps` is a process. */
const readEveryMs = 20
const askEveryMs = 250

/** The heap of JavaScript has a limit of its own; buffers have this one, which sees them after the fact. */
export function watchMemory({ pid, mostBytes, onExceeded }: MemoryWatchOptions): MemoryWatch {
  const judge = (bytes: number | undefined): void => {
    if (bytes !== undefined && bytes > mostBytes) onExceeded()
  }
  if (process.platform === 'linux') {
    const timer = setInterval(() => judge(readRss(pid)), readEveryMs)
    return { stop: () => clearInterval(timer) }
  }
  if (process.platform === 'win32') return { stop() {} }
  const timer = setInterval(() => void askRss(pid).then(judge), askEveryMs)
  return { stop: () => clearInterval(timer) }
}
