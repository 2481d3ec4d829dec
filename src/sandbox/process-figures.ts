import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** Linux counts processor time in hundredths of a second, whatever its own tick is. */
const tickMs = 10

/** Resident memory in bytes; undefined where it cannot be read at once, or the process is gone. */
export function readRss(pid: number): number | undefined {
  const kib = readField(`/proc/${pid}/status`, (text) => /^VmRSS:\s+(\d+) kB/m.exec(text)?.[1])
  return kib === undefined ? undefined : kib * 1_024
}

/** Processor time of all its threads. */
export function readCpuMs(pid: number): number | undefined {
  // The name of the program, in brackets, may hold anything.
  const fields = (text: string): string[] => text.slice(text.lastIndexOf(')') + 2).split(' ')
  const ticks = readField(`/proc/${pid}/stat`, (text) => {
    const all = fields(text)
    return String(Number(all[11]) + Number(all[12]))
  })
  return ticks === undefined ? undefined : ticks * tickMs
}

/** Where there is no /proc. Windows has no such program: there the heap of JavaScript alone is bounded. */
export function askRss(pid: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    execFile('ps', ['-o', 'rss=', '-p', String(pid)], { timeout: 2_000 }, (error, text) => {
      const kib = Number(text.trim())
      resolve(error === null && Number.isFinite(kib) && kib > 0 ? kib * 1_024 : undefined)
    })
  })
}

function readField(file: string, pick: (text: string) => string | undefined): number | undefined {
  if (process.platform !== 'linux') return undefined
  try {
    const value = Number(pick(readFileSync(file, 'utf8')))
    return Number.isFinite(value) ? value : undefined
  } catch {
    return undefined
  }
}
