import type { Duplex, Readable, Writable } from 'node:stream'
import { createLineReader, type LineReader } from '../model/line-reader.js'
import type { Log } from '../model/log.js'
import { acknowledgement } from './acknowledge.js'
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

const newline = Buffer.from('\n')

/** Resolves when the client has closed its side. */
export async function bridgeStdio(options: BridgeOptions): Promise<void> {
  const { input, output, log } = options
  const memory = createSessionMemory()
  /** The newest stream; it carries the client once its replay is answered. */
  let stream: Duplex | undefined
  let waiting: Buffer[] = []
  let clientGone = false

  const toClient = (line: string | Buffer): void => {
    if (!clientGone) output.write(withNewline(line))
  }

  const connect = async (): Promise<void> => {
    const opened = await options.connect()
    if (clientGone) return void opened.destroy()
    stream = opened
    const replay = memory.replay()
    const { requests, initialized, repeat, failed } = replay
    const unacknowledged: (readonly Message[])[] = []
    let acknowledgedLines = 0
    let answersMissing = requests.length

    const send = (line: Buffer): void => {
      const messages = each(parse(line))
      const isWanted = messages.map((message) => memory.fromClient(message))
      if (messages.length > 0 && !isWanted.includes(true)) return
      unacknowledged.push(messages)
      if (!opened.write(withNewline(line)) && !input.isPaused()) {
        input.pause()
        opened.once('drain', () => input.resume())
      }
    }
    const sendReplay = (message: Message): void => {
      unacknowledged.push([])
      opened.write(`${JSON.stringify(message)}\n`)
    }
    const takeAcknowledgement = (lines: number): void => {
      for (; acknowledgedLines < lines; acknowledgedLines++) {
        for (const message of unacknowledged.shift() ?? []) memory.delivered(message)
      }
    }
    const begin = (): void => {
      if (initialized) sendReplay(initialized)
      memory.replayed(replay)
      for (const answer of failed) toClient(JSON.stringify(answer))
      // The new holder's lists may differ from those the client has.
      if (initialized)
        for (const list of ['tools', 'resources', 'prompts'])
          toClient(`{"jsonrpc":"2.0","method":"notifications/${list}/list_changed"}`)
      sendLine = send
      const held = [...repeat.map((message) => Buffer.from(JSON.stringify(message))), ...waiting]
      waiting = []
      for (const line of held) send(line)
    }

    const reader = lineReader(options.maxMessageBytes, log, (line) => {
      if (line[0] === acknowledgement) return takeAcknowledgement(Number(line.toString('latin1', 1)))
      const messages = each(parse(line))
      if (answersMissing > 0 && messages.some(isReplayAnswer)) {
        answersMissing -= 1
        if (answersMissing === 0) begin()
        return
      }
      for (const message of messages) memory.fromHolder(message)
      toClient(line)
    })
    opened.on('data', (chunk: Buffer) => reader.push(chunk))
    opened.once('close', () => {
      if (stream !== opened) return
      sendLine = keep
      input.resume()
      if (!clientGone) reconnect()
    })
    for (const message of requests) sendReplay(message)
    if (answersMissing === 0) begin()
  }

  const keep = (line: Buffer): void => void waiting.push(line)
  let sendLine = keep

  const reconnect = (): void => {
    connect().catch((error: unknown) => {
      log.warn('no holder in reach, trying again', { error: String(error) })
      setTimeout(() => !clientGone && reconnect(), 500).unref()
    })
  }

  const reader = lineReader(options.maxMessageBytes, log, (line) => sendLine(line))

  reconnect()
  await new Promise<void>((resolve) => {
    const end = (): void => {
      clientGone = true
      stream?.destroy()
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

/** Bytes stay what they are: it is for the holder to refuse what is no text. */
function withNewline(line: Buffer | string): Buffer | string {
  return typeof line === 'string' ? `${line}\n` : Buffer.concat([line, newline])
}

/** Lines that are not JSON travel too: the holder answers them. */
function parse(line: Buffer | string): unknown {
  try {
    return JSON.parse(line.toString())
  } catch {
    return undefined
  }
}

function each(message: unknown): readonly Message[] {
  const list = Array.isArray(message) ? message : [message]
  return list.filter((one): one is Message => typeof one === 'object' && one !== null)
}

function isReplayAnswer({ id, method }: Message): boolean {
  return typeof id === 'string' && id.startsWith(replayPrefix) && method === undefined
}
