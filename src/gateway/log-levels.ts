/** RFC 5424, as MCP names them; from the least severe. */
const levels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency']

/** Whether a message of this level is wanted; without a wish everything is. Levels that nobody knows pass. */
export function isWanted(level: unknown, least: string | undefined): boolean {
  if (least === undefined || typeof level !== 'string') return true
  const severity = levels.indexOf(level)
  return severity < 0 || severity >= levels.indexOf(least)
}

/** The less severe of two. */
export function lower(a: string | undefined, b: string): string {
  return a === undefined || levels.indexOf(b) < levels.indexOf(a) ? b : a
}
