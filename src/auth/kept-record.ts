import { isDeepStrictEqual } from 'node:util'
import { AuthError, UpstreamError } from '../errors.js'
import type { Log } from '../model/log.js'
import { type AuthRecord, secretsOf } from './auth-record.js'
import type { TokenFile } from './token-file.js'

export interface KeptRecordOptions {
  readonly server: string
  readonly file: TokenFile
  readonly log: Log
  /** Values that must not be seen from now on. */
  onSecrets(secrets: readonly string[]): void
}

/** One sign-in in memory and on disk. What other processes write is taken up, and never overwritten by what is older. */
export class KeptRecord {
  readonly #options: KeptRecordOptions
  #current: AuthRecord | undefined
  #loading: Promise<void> | undefined
  /** What is not on disk yet: a full one must not cost a sign-in. */
  #unwritten: AuthRecord | undefined
  #last: Promise<unknown> = Promise.resolve()

  constructor(options: KeptRecordOptions) {
    this.#options = options
  }

  get current(): AuthRecord | undefined {
    return this.#current
  }

  /** Reads the file the first time. Rejects with an UpstreamError where it is broken. */
  load(): Promise<void> {
    this.#loading ??= this.#options.file.read().then(
      (record) => this.#take(record),
      (error: AuthError) => {
        this.#loading = undefined
        throw asTrouble(error)
      },
    )
    return this.#loading
  }

  /** True when the file tells of another sign-in, or of its end. */
  lookAgain(): Promise<boolean> {
    return this.#inTurn(async () => {
      const { file, log } = this.#options
      if (this.#unwritten !== undefined) await this.#write(this.#unwritten).catch(() => {})
      if (this.#unwritten !== undefined) return false
      try {
        const read = await file.read()
        const before = this.#current
        if (isDeepStrictEqual(read, before)) return false
        this.#take(read)
        return read?.tokens?.access_token !== before?.tokens?.access_token
      } catch (error) {
        // Told as trouble by whoever needs a token; here it would be told at every look.
        log.debug((error as Error).message)
        return false
      }
    })
  }

  /** On disk before it is used: a refresh token that was rotated and lost is a sign-in lost. */
  keep(record: AuthRecord): Promise<void> {
    return this.#inTurn(async () => {
      const { server, file, log, onSecrets } = this.#options
      onSecrets(secretsOf(record))
      try {
        await this.#write(record)
      } catch (error) {
        log.error(`The sign-in to "${server}" could not be written.`, {
          file: file.path,
          error: String(error),
        })
      }
      this.#take(record)
    })
  }

  async #write(record: AuthRecord): Promise<void> {
    this.#unwritten = record
    await this.#options.file.write(record)
    this.#unwritten = undefined
  }

  /** A look at the file must not come between a record and its writing. */
  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#last.then(work)
    this.#last = turn.catch(() => {})
    return turn
  }

  #take(record: AuthRecord | undefined): void {
    this.#current = record
    if (record !== undefined) this.#options.onSecrets(secretsOf(record))
  }
}

/** The same as trouble of the server it is about. */
export function asTrouble(
  error: unknown,
  server = error instanceof AuthError ? error.server : '',
): UpstreamError {
  if (error instanceof UpstreamError) return error
  const { message, hint } = error as AuthError
  return new UpstreamError(server, 'auth', message.replace(/^Server "[^"]*": /, ''), hint, { cause: error })
}
