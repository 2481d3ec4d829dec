import { readFileSync } from 'node:fs'

/** A pid alone may be given to another process later; with its start time it names one process for good. */
export interface ProcessIdentity {
  readonly pid: number
  /** Clock ticks since boot (Linux); empty where the system does not tell. */
  readonly startTime: string
}

export function identifyProcess(pid: number): ProcessIdentity {
  return { pid, startTime: startTimeOf(pid) }
}

export function isAlive(identity: ProcessIdentity): boolean {
  try {
    process.kill(identity.pid, 0)
  } catch (error) {
    // EPERM: it lives, and belongs to somebody else.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false
  }
  return identity.startTime === '' || startTimeOf(identity.pid) === identity.startTime
}

/** Field 22 of /proc/PID/stat, counted after the command's name, which may itself hold spaces and parentheses. A zombie counts as gone. */
function startTimeOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields[0] === 'Z' ? 'zombie' : (fields[19] ?? '')
  } catch {
    return ''
  }
}
