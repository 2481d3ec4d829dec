import { type Redact, redactJson } from './redact.js'

/** Where a room reports what happened; a line is one sentence, its facts are fields. */
export interface Log {
  debug(message: string, facts?: Readonly<Record<string, unknown>>): void
  info(message: string, facts?: Readonly<Record<string, unknown>>): void
  warn(message: string, facts?: Readonly<Record<string, unknown>>): void
  error(message: string, facts?: Readonly<Record<string, unknown>>): void
}

export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} }

/** The same log, with every text that goes into it cleaned of secrets. */
export function redactedLog(log: Log, redact: Redact): Log {
  const clean =
    (write: Log['info']): Log['info'] =>
    (message, facts) =>
      write(redact(message), facts === undefined ? undefined : redactJson(facts, redact))
  return { debug: clean(log.debug), info: clean(log.info), warn: clean(log.warn), error: clean(log.error) }
}
