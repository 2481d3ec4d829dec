/** A client that may write any bytes to a `pml serve` of its own, and sees every line that comes back. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { eventually, type House, pmlBin } from '../harness.js'

export interface Answer {
  readonly id: string | number | null
  readonly result?: { readonly content: readonly { readonly text: string }[]; readonly isError?: boolean }
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

export interface RawClient {
  readonly pid: number
  /** One line; its newline is added. */
  write(line: string | Buffer): void
  /** Waits for so many answers under one id. */
  answers(id: string | number, count?: number): Promise<readonly Answer[]>
  /** Errors that could not name the request. */
  refusals(): readonly Answer[]
  call(tool: string, args?: unknown): Promise<Answer>
  /** Closes the standard input of `pml serve`. */
  end(): void
  readonly exited: Promise<unknown>
  stderr(): string
}

const initialize = {
  jsonrpc: '2.0',
  id: 'initialize',
  method: 'initialize',
  params: {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'raw', version: '1.0.0' },
  },
}

export const callLine = (id: string | number, tool: string, args = '{}'): string =>
  `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"method":"tools/call","params":{"name":"${tool}","arguments":${args}}}`

const running = new Set<ChildProcess>()

/** Ends those that a test has left, failed or not. */
export async function closeRawClients(): Promise<void> {
  await Promise.all([...running].map(endClient))
}

async function endClient(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit')
  child.kill('SIGCONT')
  child.stdin!.end()
  await Promise.race([exited, sleep(3_000).then(() => child.kill('SIGKILL'))])
}

/** A process that has just been started and told who we are. */
export function startRawClient(house: House): RawClient {
  const child = spawn(process.execPath, [pmlBin, 'serve', '--config', house.config], {
    env: house.env,
    stdio: 'pipe',
  })
  running.add(child)
  child.once('exit', () => running.delete(child))
  const answers: Answer[] = []
  let unfinished = ''
  let errors = ''
  let calls = 0
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (unfinished + chunk).split('\n')
    unfinished = lines.pop()!
    answers.push(
      ...lines.map((line) => JSON.parse(line) as Answer).filter((message) => !('method' in message)),
    )
  })
  child.stderr.on('data', (chunk) => {
    errors += chunk
  })
  // Whoever closes its input may still have lines under way.
  child.stdin.on('error', () => {})
  const client: RawClient = {
    pid: child.pid!,
    write(line) {
      child.stdin.write(line)
      child.stdin.write('\n')
    },
    async answers(id, count = 1) {
      const found = () => answers.filter((answer) => answer.id === id)
      return eventually(found, (list) => list.length >= count, 20_000)
    },
    refusals: () => answers.filter((answer) => answer.id === null),
    async call(tool, args = {}) {
      const id = `call ${++calls}`
      client.write(callLine(id, tool, JSON.stringify(args)))
      return (await client.answers(id))[0]!
    },
    end: () => child.stdin.end(),
    exited: once(child, 'exit'),
    stderr: () => errors,
  }
  client.write(JSON.stringify(initialize))
  return client
}

/** The same once its handshake is done. */
export async function openRawClient(house: House): Promise<RawClient> {
  const client = startRawClient(house)
  await client.answers(initialize.id)
  client.write('{"jsonrpc":"2.0","method":"notifications/initialized"}')
  return client
}
