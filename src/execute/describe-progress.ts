import { isProgramTool } from '../model/capability.js'
import { formatDuration } from '../model/format-duration.js'
import type { TaskOutcome } from '../model/run.js'
import { shorten } from '../model/shorten.js'
import { isEnded } from './outcomes.js'

const mostNamed = 5

/** What ran so far, in a line, for who is asked to decide: `2 of 4 tasks have ended: read complete in 12 ms, list failed.` */
export function describeProgress(outcomes: readonly TaskOutcome[]): string {
  const programs = new Set(outcomes.filter(({ tool }) => isProgramTool(tool)).map(({ id }) => id))
  // Of a program the calls that it made.
  const tasks = outcomes.filter(
    ({ id, parent }) => !programs.has(id) && (parent === undefined || programs.has(parent)),
  )
  const ended = tasks.filter(({ status }) => isEnded(status))
  if (ended.length === 0) return 'Nothing has run yet.'
  const named = ended.slice(-mostNamed).map(describeOne)
  const more = ended.length > mostNamed ? `, before them ${ended.length - mostNamed} more` : ''
  return `${ended.length} of ${tasks.length} tasks have ended: ${named.join(', ')}${more}.`
}

function describeOne({ id, tool, status, ms }: TaskOutcome): string {
  const took = ms === undefined ? '' : ` in ${formatDuration(ms)}`
  return `${shorten(id, 40)} (${shorten(tool, 60)}) ${status}${took}`
}
