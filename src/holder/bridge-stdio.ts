import type { Duplex, Readable, Writable } from 'node:stream'
import { createLineReader, type LineReader } from '../model/line-reader.js'
import type { Log } from '../model/log.js'
import { createSessionMemory, type Message, replayPrefix } from './session-memory.js'

/**
 * Carries one client's lines to the holder and back, and outlives the holder: when the stream breaks it connects again
 * (to a new holder, or to the gateway this process has become), repeats the client's handshake there, sends again what is
 * safe to send again, and answers the rest with an error that says so. The client notices nothing but that.
 */
export interface BridgeOptions {
  readonly input: Readable
  readonly output: Writable
  connect(): Promise<Duplex>
  readonly maxMessageBytes: number
  readonly log: Log
}

/** Resolves when the client has closed its side. */
export async function bridgeStdio(options: BridgeOptions): Promise<void> {
  const { input, output, log } = options
  const memory = createSessionMemory()
  let holder: Duplex | undefined
  let waiting: string[] = []
  let clientGone = false

  const toHolder = (line: string): void => {
    if (holder === undefined) waiting.push(line)
    else if (!holder.write(`${line}\n`)) {
      input.pause()
      holder.once('drain', () => input.resume())
    }
  }
  const toClient = (line: string | Buffer): void => {
    if (!clientGone) output.write(`${line}\n`)
  }

  const connect = async (): Promise<void> => {
    const stream = await options.connect()
    if (clientGone) return void stream.destroy()
    const replay = memory.replay()
    let acksMissing = replay.requests.length
    const settle = (): void => {
      if (replay.initialized) stream.write(`${JSON.stringify(replay.initialized)}\n`)
      for (const message of replay.repeat) stream.write(`${JSON.stringify(message)}\n`)
      for (const answer of replay.failed) toClient(JSON.stringify(answer))
      if (replay.initialized) toClient('{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}')
      holder = stream
      const held = waiting
      waiting = []
      for (const line of held) toHolder(line)
    }
    const reader = lineReader(options.maxMessageBytes, log, (line) => {
      const message = parse(line)
      if (typeof message === 'object' && !Array.isArray(message) && isReplayAnswer(message)) {
        acksMissing -= 1
        if (acksMissing === 0) settle()
        return
      }
      for (const one of each(message)) memory.fromHolder(one)
      toClient(line)
    })
    stream.on('data', (chunk: Buffer) => reader.push(chunk))
    stream.once('close', () => {
      if (holder === stream || holder === undefined) {
        holder = undefined
        if (!clientGone) reconnect()
      }
    })
    for (const message of replay.requests) stream.write(`${JSON.stringify(message)}\n`)
    if (acksMissing === 0) settle()
  }

  const reconnect = (): void => {
    connect().catch((error: unknown) => {
      log.warn('no holder in reach, trying again', { error: String(error) })
      setTimeout(() => !clientGone && reconnect(), 500).unref()
    })
  }

  const reader = lineReader(options.maxMessageBytes, log, (line) => {
    for (const message of each(parse(line))) memory.fromClient(message)
    toHolder(line.toString('utf8'))
  })

  await connect()
  await new Promise<void>((resolve) => {
    const end = (): void => {
      clientGone = true
      holder?.destroy()
      resolve()
    }
    input.on('data', (chunk: Buffer) => reader.push(chunk))
    input.once('end', end)
    input.once('close', end)
    input.once('error', end)
    output.once('error', end)
  })
}

function lineReader(maxBytes: number, log: Log, onLine: (line: Buffer) => void): LineReader {
  return createLineReader({
    maxBytes,
    onLine,
    onOversize: ({ bytes }) => log.warn('a line above the limit was dropped', { bytes, maxBytes }),
  })
}

/** Lines that are not JSON travel too: the holder answers them. */
function parse(line: Buffer): unknown {
  try {
    return JSON.parse(line.toString('utf8'))
  } catch {
    return undefined
  }
}

function each(message: unknown): readonly Message[] {
  const list = Array.isArray(message) ? message : [message]
  return list.filter((one): one is Message => typeof one === 'object' && one !== null)
}

function isReplayAnswer(message: object | null): boolean {
  const id = (message as Message | null)?.id
  return typeof id === 'string' && id.startsWith(replayPrefix) && (message as Message).method === undefined
}
