/** The moments at which the crash tests end a process as if the power of it had been cut. */
export const crashPoints = [
  'run-accepted',
  'checkpoint-begin',
  'checkpoint-stored',
  'checkpoint-told',
  'call-begin',
  'call-answered',
  'command-accepted',
  'decision-taken',
  'run-taken-up',
  'run-end-stored',
] as const

export type CrashPoint = (typeof crashPoints)[number]

/** `PML_CRASH_AT=call-answered:3` ends this process at the third such moment. Absent, as everywhere but in those tests, nothing happens. */
const [name, times] = (process.env.PML_CRASH_AT ?? '').split(':')
let left = Number(times ?? 1)

export function crashPoint(point: CrashPoint): void {
  if (point !== name || --left > 0) return
  process.kill(process.pid, 'SIGKILL')
}
