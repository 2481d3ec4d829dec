import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** Only Linux shows its processes as files. */
export const canCountProcesses = existsSync('/proc/self/environ')

/**
 * The processes of one house: those that have its home in their environment, whoever their parent is by now, and all that
 * descend from them (a browser wipes the environment of its helpers). What was seen once is known until it is gone.
 */
export function watchProcesses(home) {
  const seen = new Map()
  const living = () => {
    if (!canCountProcesses) return []
    const all = readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(readProcess)
      .filter((process) => process !== undefined)
    const ours = new Set(
      all
        .filter((one) => isMarked(one.pid, home) || seen.get(one.pid) === one.startedAt)
        .map(({ pid }) => pid),
    )
    for (let before = -1; before !== ours.size; ) {
      before = ours.size
      for (const { pid, parent } of all) if (ours.has(parent)) ours.add(pid)
    }
    const found = all.filter(({ pid }) => ours.has(pid))
    for (const { pid, startedAt } of found) seen.set(pid, startedAt)
    return found
  }
  return {
    living,
    memoryMb: () => living().reduce((sum, { pid }) => sum + residentMb(pid), 0),
    /** Waits until none lives, or so long; gives those that are left. */
    async gone(withinMs) {
      const until = performance.now() + withinMs
      for (;;) {
        const left = living()
        if (left.length === 0 || performance.now() > until) return left
        await sleep(20)
      }
    },
  }
}

/** Resident memory of one process, in megabytes. */
export function residentMb(pid) {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readProc(pid, 'status'))?.[1] ?? 0) / 1000
}

function isMarked(pid, home) {
  return `\0${readProc(pid, 'environ')}`.includes(`\0HOME=${home}\0`)
}

/** Fields of /proc/PID/stat after the name in parentheses: state, parent, ... and start time as the twentieth. Zombies are gone. */
function readProcess(name) {
  const stat = readProc(name, 'stat')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  if (stat === '' || fields[0] === 'Z') return undefined
  const command = readProc(name, 'cmdline').replaceAll('\0', ' ').trim()
  return { pid: Number(name), parent: Number(fields[1]), startedAt: fields[19], command }
}

/** Empty for what is gone, or somebody else's. */
function readProc(pid, file) {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1')
  } catch {
    return ''
  }
}
