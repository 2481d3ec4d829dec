import type { Log } from '../model/log.js'

const levels = ['debug', 'info', 'warn', 'error'] as const
type Level = (typeof levels)[number]

/** Standard output belongs to the protocol, so every line goes to standard error: one line, its facts as JSON. */
export function createStderrLog(least: string | undefined): Log {
  const from = Math.max(0, levels.indexOf((least ?? 'warn') as Level))
  const write = (level: Level, message: string, facts?: Readonly<Record<string, unknown>>): void => {
    if (levels.indexOf(level) < from) return
    const tail = facts === undefined ? '' : ` ${JSON.stringify(facts)}`
    process.stderr.write(`${`pml ${level}: ${message}${tail}`.replace(/[\r\n]+/g, ' ')}\n`)
  }
  return {
    debug: (message, facts) => write('debug', message, facts),
    info: (message, facts) => write('info', message, facts),
    warn: (message, facts) => write('warn', message, facts),
    error: (message, facts) => write('error', message, facts),
  }
}
