import type { Parameter, Row, TextParameter } from './database.js'

/** Between pglite-database.ts and its worker. The worker says `ready` once, then answers every request. */
export type PgliteRequest =
  | {
      readonly type: 'query'
      readonly id: number
      readonly sql: string
      readonly parameters: readonly Parameter[]
    }
  | {
      readonly type: 'execute'
      readonly id: number
      readonly sql: string
      readonly parameters: readonly TextParameter[]
    }
  | { readonly type: 'close'; readonly id: number }

export type PgliteReply =
  | { readonly type: 'ready' }
  | { readonly type: 'rows'; readonly id: number; readonly rows: readonly Row[] }
  | { readonly type: 'error'; readonly id: number; readonly message: string; readonly code: string }

export interface PgliteWorkerData {
  readonly directory: string
}
