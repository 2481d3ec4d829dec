import type { Readable } from 'node:stream'

/** The process as a command sees it; tests give their own. */
export interface Io {
  readonly stdin: Readable & { readonly isTTY?: boolean }
  readonly stdout: Output
  readonly stderr: Output
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string
}

export interface Output {
  write(text: string): unknown
  readonly isTTY?: boolean
  readonly columns?: number
}

export function processIo(): Io {
  // `pml tools | head` closes our output early: no error, there is just nobody left to tell.
  for (const output of [process.stdout, process.stderr]) {
    output.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error
    })
  }
  return {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    cwd: process.cwd(),
  }
}

export function printJson(io: Io, value: unknown): void {
  io.stdout.write(`${JSON.stringify(value, undefined, 2)}\n`)
}

export function printLine(io: Io, line = ''): void {
  io.stdout.write(`${line}\n`)
}

export async function readAll(stream: Readable): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks).toString('utf8')
}
