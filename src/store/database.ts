import type { StoreError } from '../errors.js'
import type { Store } from './store.js'

/** Bytes are a value in PostgreSQL's binary form, whatever its type. */
export type Parameter =
  | string
  | number
  | boolean
  | null
  | readonly (string | number | boolean | null)[]
  | Uint8Array

/** What a statement that is kept takes: text alone, so that it need not be asked what its types are. */
export type TextParameter = Exclude<Parameter, Uint8Array>

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
  /** One statement that gives no rows and comes again and again: parsed and planned once, where that is what takes the time. */
  execute(sql: string, parameters: readonly TextParameter[]): Promise<void>
  /** Resolves when it can serve nobody any more and was not closed. PostgreSQL never does: it may come back. */
  readonly died: Promise<StoreError>
  close(): Promise<void>
}
