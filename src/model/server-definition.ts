/** A server as it is written down: `${NAME}` references stay references. */
export type ServerDefinition = StdioDefinition | HttpDefinition

export interface StdioDefinition extends CommonDefinition {
  readonly command: string
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
}

export interface HttpDefinition extends CommonDefinition {
  readonly url: string
  readonly type?: 'http' | 'sse'
  readonly headers?: Readonly<Record<string, string>>
}

export interface CommonDefinition {
  readonly disabled?: boolean
  /** As clients write it: up to 3600 it is seconds, above milliseconds. */
  readonly timeout?: number
  readonly timeoutMs?: number
  readonly connectTimeoutMs?: number
}
