import { formatDuration } from '../model/format-duration.js'
import type { Status } from './status.js'

/** One line for a person: whether calls are run ahead, and what that was good for since the process began. */
export function describeSpeculation({ mode, preset, figures }: Status['speculation']): string {
  const { predicted, right, started, hits, joined, savedMs } = figures
  if (mode === 'off') return 'off'
  if (mode === 'shadow')
    return `shadow: ${predicted === 0 ? 'nothing was predicted yet' : `${right} of ${predicted} predicted calls were asked for`}`
  const used = hits + joined
  const ran =
    started === 0
      ? 'nothing was run ahead yet'
      : `${used} of ${started} calls run ahead were used, ${formatDuration(savedMs)} saved`
  return `on (${preset}): ${ran}`
}
