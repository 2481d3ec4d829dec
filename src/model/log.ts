/** Where a room reports what happened; a line is one sentence, its facts are fields. */
export interface Log {
  debug(message: string, facts?: Readonly<Record<string, unknown>>): void
  info(message: string, facts?: Readonly<Record<string, unknown>>): void
  warn(message: string, facts?: Readonly<Record<string, unknown>>): void
  error(message: string, facts?: Readonly<Record<string, unknown>>): void
}

export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} }
