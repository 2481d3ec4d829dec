/** A `pml serve` in a process of its own, by the lines of its standard input and output and by its local socket. It may die any time. */
import { spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RunEvent } from '../../src/model/run-event.js'
import { pmlBin } from '../harness.js'

export class GoneError extends Error {}

/** What the gateway answered with: {code, message, hint}. */
export class RefusedError extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message)
  }
}

export interface TestGateway {
  readonly pid: number
  /** Resolves when a client has been answered and events are heard; rejects with GoneError where it dies before. */
  readonly ready: Promise<void>
  readonly exited: Promise<NodeJS.Signals | number>
  isGone(): boolean
  /** The structured content. @throws GoneError, RefusedError */
  call(tool: string, args: object): Promise<Record<string, unknown>>
  /** Of the local API. @throws GoneError, RefusedError */
  get<T>(path: string): Promise<T>
  post<T>(path: string, body: object): Promise<T>
  /** It alone: its servers see that it is gone by themselves. */
  kill(): void
  /** As a client that goes away. */
  end(): Promise<void>
  stderr(): string
}

export interface TestGatewayOptions {
  readonly config: string
  readonly env: Readonly<Record<string, string>>
  onEvent(event: RunEvent): void
}

interface Answer {
  readonly id?: number
  readonly result?: { readonly structuredContent?: Record<string, unknown>; readonly isError?: boolean }
  readonly error?: { readonly code: number; readonly message: string }
}

export function startGateway({ config, env, onEvent }: TestGatewayOptions): TestGateway {
  const child = spawn(process.execPath, [pmlBin, 'serve', '--config', config], {
    env,
    stdio: 'pipe',
  })
  const waiting = new Map<number, (answer: Answer | undefined) => void>()
  let isGone = false
  let calls = 0
  let unfinished = ''
  let errors = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (unfinished + chunk).split('\n')
    unfinished = lines.pop()!
    for (const line of lines) {
      const answer = JSON.parse(line) as Answer
      if (answer.id !== undefined) waiting.get(answer.id)?.(answer)
    }
  })
  child.stderr.on('data', (chunk) => {
    errors += chunk
  })
  child.stdin.on('error', () => {})
  // `close` comes when all it wrote is read: what is there then was said.
  const exited = new Promise<NodeJS.Signals | number>((resolve) => {
    child.once('close', (code, signal) => {
      isGone = true
      for (const answer of waiting.values()) answer(undefined)
      resolve(signal ?? code ?? 0)
    })
  })

  const send = (method: string, params: object): Promise<Answer> => {
    if (isGone) return Promise.reject(new GoneError('gone'))
    const id = ++calls
    return new Promise((resolve, reject) => {
      waiting.set(id, (answer) => {
        waiting.delete(id)
        if (answer === undefined) reject(new GoneError('gone'))
        else resolve(answer)
      })
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
    })
  }

  const ask = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const response = await openHttp(env.PML_HOME!, method, path, body, () => isGone)
    const chunks: Buffer[] = []
    try {
      for await (const chunk of response) chunks.push(chunk as Buffer)
    } catch {
      throw new GoneError('gone')
    }
    const answer = JSON.parse(Buffer.concat(chunks).toString('utf8')) as T & {
      error?: { code: string; message: string }
    }
    // A task outcome has an error, too, but no run or decision.
    if (answer.error?.code !== undefined) throw new RefusedError(answer.error.code, answer.error.message)
    return answer
  }

  const hear = async (): Promise<void> => {
    const response = await openHttp(env.PML_HOME!, 'GET', '/api/events', undefined, () => isGone)
    let text = ''
    response.setEncoding('utf8').on('data', (chunk: string) => {
      const parts = (text + chunk).split('\n\n')
      text = parts.pop()!
      for (const part of parts) {
        const data = part.split('\n').find((line) => line.startsWith('data: '))
        if (data !== undefined) onEvent(JSON.parse(data.slice(6)) as RunEvent)
      }
    })
    response.on('error', () => {})
  }

  const greet = async (): Promise<void> => {
    const client = { name: 'crash test', version: '1.0.0' }
    await send('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: client })
    child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
  }
  const ready = Promise.all([greet(), hear()]).then(() => {})
  ready.catch(() => {})

  return {
    pid: child.pid!,
    ready,
    exited,
    isGone: () => isGone,
    async call(tool, args) {
      const { result, error } = await send('tools/call', { name: tool, arguments: args })
      if (error !== undefined) throw new RefusedError(String(error.code), error.message)
      const content = result?.structuredContent ?? {}
      const refused = content.error as { code: string; message: string } | undefined
      if (refused?.code !== undefined && content.workflow_id === undefined)
        throw new RefusedError(refused.code, refused.message)
      return content
    },
    get: (path) => ask('GET', path),
    post: (path, body) => ask('POST', path, body),
    kill: () => void child.kill('SIGKILL'),
    async end() {
      child.stdin.end()
      await exited
    },
    stderr: () => errors,
  }
}

/** On the newest socket of the data directory, as soon as somebody answers there. */
async function openHttp(
  home: string,
  method: string,
  path: string,
  body: object | undefined,
  isGone: () => boolean,
): Promise<IncomingMessage> {
  while (!isGone()) {
    const socketPath = newestSocket(home)
    const found = socketPath && (await tryHttp(socketPath, method, path, body))
    if (found === 'lost') throw new GoneError('gone')
    if (typeof found === 'object') return found
    await sleep(25)
  }
  throw new GoneError('gone')
}

/** Undefined: nobody is there yet. `lost`: it went away, and may have heard us. */
function tryHttp(
  socketPath: string,
  method: string,
  path: string,
  body: object | undefined,
): Promise<IncomingMessage | 'lost' | undefined> {
  return new Promise((resolve) => {
    const headers = body === undefined ? {} : { 'content-type': 'application/json' }
    const request = httpRequest({ socketPath, path, method, headers, agent: false }, resolve)
    request.once('error', (error: NodeJS.ErrnoException) =>
      resolve(error.code === 'ECONNREFUSED' || error.code === 'ENOENT' ? undefined : 'lost'),
    )
    request.end(body && JSON.stringify(body))
  })
}

function newestSocket(home: string): string | undefined {
  try {
    const numbers = readdirSync(home).flatMap((name) => {
      const match = /^pml\.(\d+)\.sock$/.exec(name)
      return match ? [Number(match[1])] : []
    })
    return numbers.length === 0 ? undefined : join(home, `pml.${Math.max(...numbers)}.sock`)
  } catch {
    return undefined
  }
}
