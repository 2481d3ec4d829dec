import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * The request whose HTTP exchange the running code belongs to. The SDK's transport hands on messages without saying on which
 * request's stream they came; what runs because of a request still knows it by this.
 */
export const requestStream = new AsyncLocalStorage<RequestStream>()

export interface RequestStream {
  /** Ids are those of one lane. */
  readonly lane: object
  readonly id: string
  /** The server has closed the stream; the answer may have come or not. */
  ended(): void
}
