/**
 * A server as a child process, spoken to in lines. It replaces the SDK's own stdio transport because that one copies
 * quadratically on huge lines, knows no process groups and probes on a second process.
 *
 * It promises: nothing a server writes can break the lines around it; `close()` resolves when the whole process group
 * is gone; the child sees no environment but its own. It never interprets a message.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import { MessageTooLargeError } from '../errors.js'
import { createLineReader, type OversizeLine } from '../model/line-reader.js'
import { createLineWriter, type LineWriter } from '../model/line-writer.js'
import type { Log } from '../model/log.js'
import { endLeftovers, endProcess, endWithUs } from './end-process.js'
import { answeredId, readMessage } from './read-message.js'
import { spawnCommand } from './spawn-command.js'

export interface StdioOptions {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd?: string
  readonly maxMessageBytes: number
  readonly log: Log
}

export interface ProcessExit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** Kept of standard error, for the message when things go wrong. */
const stderrBytes = 4096
/** An answer may still be in the pipe when its writer is gone. */
const drainMs = 150

export class StdioTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: (message: JSONRPCMessage) => void
  /** A message that was too large to keep answered this request. */
  onoversize?: (id: string | number, error: MessageTooLargeError) => void

  /** With `pid`, what the SDK knows a stdio transport by: silence during its probe then means an old server. */
  readonly stderr = null
  /** How the process ended, when it ended by itself. */
  exit: ProcessExit | undefined

  #child: ChildProcess | undefined
  #stderr: Buffer[] = []
  #writer: LineWriter | undefined
  #ending: Promise<void> | undefined
  #closed = false

  constructor(private readonly options: StdioOptions) {}

  get pid(): number | undefined {
    return this.#child?.pid
  }

  stderrTail(): string {
    return Buffer.concat(this.#stderr).subarray(-stderrBytes).toString('utf8').trim()
  }

  async start(): Promise<void> {
    if (this.#child !== undefined) throw new Error('This transport was already started.')
    const { command, args, env, cwd } = this.options
    const start = spawnCommand(command, args, { platform: process.platform, shell: process.env.ComSpec })
    const child = spawn(start.file, start.args, {
      env,
      ...(cwd === undefined ? {} : { cwd }),
      windowsVerbatimArguments: start.verbatim,
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: process.platform !== 'win32',
      windowsHide: true,
    })
    this.#child = child
    endWithUs(child)
    this.#listen(child)
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve)
      child.once('error', reject)
    })
  }

  async send(message: JSONRPCMessage): Promise<void> {
    await this.write(JSON.stringify(message))
  }

  /** One message, already written as JSON. */
  write(json: string): Promise<void> {
    const stdin = this.#child?.stdin
    if (this.#closed || !stdin?.writable) return Promise.reject(new Error('The process is gone.'))
    this.#writer ??= createLineWriter(stdin)
    return this.#writer.write(json)
  }

  close(): Promise<void> {
    this.#ending ??= this.#end()
    return this.#ending
  }

  async #end(): Promise<void> {
    this.#writer?.flush()
    if (this.#child !== undefined) await endProcess(this.#child)
    this.#announceClose()
  }

  #listen(child: ChildProcess): void {
    const reader = createLineReader({
      maxBytes: this.options.maxMessageBytes,
      onLine: (line) => this.#onLine(line),
      onOversize: (line) => this.#onOversize(line),
    })
    child.stdout?.on('data', (chunk: Buffer) => reader.push(chunk))
    child.stdout?.on('end', () => reader.end())
    child.stderr?.on('data', (chunk: Buffer) => this.#keepStderr(chunk))
    for (const stream of [child.stdin, child.stdout, child.stderr]) {
      stream?.on('error', (error: Error) => this.onerror?.(error))
    }
    child.on('error', (error) => this.onerror?.(error))
    child.once('exit', (code, signal) => {
      if (this.#ending === undefined) this.exit = { code, signal }
      const late = setTimeout(() => this.#announceClose(), drainMs)
      child.once('close', () => {
        clearTimeout(late)
        this.#announceClose()
      })
      if (this.#ending === undefined) endLeftovers(child)
    })
  }

  #onLine(line: Buffer): void {
    const content = readMessage(line)
    if (content.kind === 'messages') {
      for (const message of content.messages) this.#deliver(message as JSONRPCMessage)
      return
    }
    if (content.kind === 'invalid-utf8') this.onerror?.(new Error('A line on standard output is not UTF-8.'))
    else this.options.log.debug('A line on standard output is no message.', { bytes: line.length })
  }

  #deliver(message: JSONRPCMessage): void {
    try {
      this.onmessage?.(message)
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(String(error)))
    }
  }

  #onOversize(line: OversizeLine): void {
    const error = new MessageTooLargeError(line.bytes, this.options.maxMessageBytes)
    const id = answeredId(line)
    if (id !== undefined) this.onoversize?.(id, error)
    this.onerror?.(error)
  }

  #keepStderr(chunk: Buffer): void {
    this.#stderr.push(chunk)
    if (this.#stderr.length < 2 || sum(this.#stderr) < 2 * stderrBytes) return
    this.#stderr = [Buffer.from(Buffer.concat(this.#stderr).subarray(-stderrBytes))]
  }

  #announceClose(): void {
    if (this.#closed) return
    this.#closed = true
    this.onclose?.()
  }
}

function sum(chunks: readonly Buffer[]): number {
  return chunks.reduce((total, chunk) => total + chunk.length, 0)
}
