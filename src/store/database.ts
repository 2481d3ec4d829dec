import type { Store } from './store.js'

/** Bytes are a value in PostgreSQL's binary form, whatever its type. */
export type Parameter =
  | string
  | number
  | boolean
  | null
  | readonly (string | number | boolean | null)[]
  | Uint8Array

export type Row = Readonly<Record<string, unknown>>

export interface Queryable {
  /** One statement; `$1`, `$2` stand for the parameters. */
  query<R extends Row = Row>(sql: string, parameters?: readonly Parameter[]): Promise<readonly R[]>
}

/** What SqlStore stands on: PostgreSQL's language, wherever it runs. */
export interface Database extends Queryable {
  readonly kind: Store['kind']
  /** Commits when `work` resolves, rolls back when it throws or when a statement of it failed. Not to be nested. */
  transaction<T>(work: (transaction: Queryable) => Promise<T>): Promise<T>
  close(): Promise<void>
}
