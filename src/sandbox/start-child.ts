import { type ChildProcess, spawn } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { isExecutable } from './find-deno.js'
import { readRss } from './process-figures.js'
import type { SandboxLimits } from './sandbox.js'
import type { Scratch } from './scratch.js'

export interface Child {
  readonly pid: number
  /** Resolves once it waits for a program; rejects where it never will. */
  readonly ready: Promise<void>
  /** Resolves when it is dead and its directory is gone. */
  readonly gone: Promise<void>
  readonly sizes: ChildSizes
  isAlive(): boolean
  /** What it holds at rest, in bytes; 0 where nobody can say. */
  restBytes(): number
  send(message: object): void
  /** Everything from now on; one listener. */
  listen(listener: ChildListener): void
  kill(): void
}

export type ChildSizes = Pick<SandboxLimits, 'heapMb' | 'memoryMb'>

export interface ChildListener {
  onOutput(chunk: Buffer): void
  onExit(exit: ChildExit): void
}

export interface ChildExit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  /** The last words on standard error. */
  readonly words: string
}

export interface ChildOptions {
  readonly denoPath: string
  readonly scratch: Scratch
  readonly sizes: ChildSizes
  onStart(pid: number): void
}

/** A machine that is busy takes its time; one that is broken does not get better. */
const readyMs = 15_000
const mostWords = 8_000
/** Beyond, it is flooding: nothing of ours writes there. */
const mostStderrBytes = 1_000_000
/** Private memory that Deno reserves before it runs anything: 1,070 MiB measured with a Worker; threads take stacks later. */
const reservedMb = 1_536

export function startChild({ denoPath, scratch, sizes, onStart }: ChildOptions): Child {
  const denoDirectory = scratch.denoDirectory()
  const [command, ...args] = commandLine(denoPath, scratch, sizes)
  const child = spawn(command!, args, {
    cwd: scratch.workingDirectory,
    env: environment(denoDirectory),
    stdio: ['pipe', 'pipe', 'pipe'],
    // A group of its own, which can be killed as one.
    detached: process.platform !== 'win32',
    windowsHide: true,
  })
  if (child.pid !== undefined) onStart(child.pid)
  letGo(child)

  let listener: ChildListener | undefined
  let exit: ChildExit | undefined
  let words = ''
  let stderrBytes = 0
  let rest = 0
  const kill = (): void => killGroup(child)

  child.stdin!.on('error', () => {})
  child.stderr!.on('error', () => {})
  child.stderr!.on('data', (chunk: Buffer) => {
    stderrBytes += chunk.length
    words = (words + chunk.toString('latin1')).slice(-mostWords)
    if (stderrBytes > mostStderrBytes) kill()
  })

  const ready = new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => {
      kill()
      reject(new Error(`did not start within ${readyMs / 1_000} s`))
    }, readyMs)
    timer.unref()
    let heard = ''
    child.stdout!.on('error', () => {})
    child.stdout!.on('data', (chunk: Buffer) => {
      if (listener !== undefined) {
        listener.onOutput(chunk)
        return
      }
      heard = (heard + chunk.toString('latin1')).slice(0, 1_000)
      if (heard !== '{"t":"ready"}\n') return
      clearTimeout(timer)
      rest = readRss(child.pid!) ?? 0
      resolve()
    })
    child.once('error', (error) => {
      clearTimeout(timer)
      reject(error)
    })
    child.once('exit', () => {
      clearTimeout(timer)
      reject(new Error(firstLine(words) || 'ended before it was ready'))
    })
  })
  ready.catch(() => {})

  const gone = new Promise<void>((resolve) => {
    const clean = (): void => {
      rm(denoDirectory, { recursive: true, force: true, maxRetries: 5 }).then(resolve, () => resolve())
    }
    child.once('error', () => {
      // Never started: there will be no exit.
      if (child.pid === undefined) clean()
    })
    // `close` and not `exit`: what it had still written has been read by then.
    child.once('close', (code, signal) => {
      exit = { code, signal, words }
      listener?.onExit(exit)
      clean()
    })
  })

  return {
    pid: child.pid ?? 0,
    ready,
    gone,
    sizes,
    isAlive: () => child.pid !== undefined && child.exitCode === null && child.signalCode === null,
    restBytes: () => rest,
    send: (message) => {
      child.stdin!.write(`${JSON.stringify(message)}\n`)
    },
    listen(next) {
      listener = next
      if (exit !== undefined) next.onExit(exit)
    },
    kill,
  }
}

function commandLine(
  denoPath: string,
  scratch: Scratch,
  { heapMb, memoryMb }: ChildSizes,
): readonly string[] {
  return [
    ...limitData(reservedMb + memoryMb),
    denoPath,
    'run',
    '--quiet',
    '--no-prompt',
    '--no-config',
    '--no-lock',
    '--no-remote',
    '--no-npm',
    '--cached-only',
    '--no-code-cache',
    '--node-modules-dir=none',
    `--import-map=${scratch.importMap}`,
    `--v8-flags=--max-old-space-size=${heapMb}`,
    scratch.runner,
  ]
}

/** Buffers and threads are not JavaScript's heap. Only Linux can bound them so; elsewhere the poll is all there is. */
function limitData(mb: number): readonly string[] {
  const prlimit = process.platform === 'linux' ? findPrlimit() : undefined
  return prlimit === undefined ? [] : [prlimit, `--data=${mb * 1_048_576}`, '--core=0', '--']
}

let prlimitPath: string | undefined | null = null

function findPrlimit(): string | undefined {
  if (prlimitPath === null) {
    const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/bin', '/bin']
    prlimitPath = folders
      .filter((folder) => folder.startsWith('/'))
      .map((folder) => join(folder, 'prlimit'))
      .find(isExecutable)
  }
  return prlimitPath
}

/** Nothing of ours, and the same time zone everywhere. */
function environment(denoDirectory: string): NodeJS.ProcessEnv {
  const fixed = {
    DENO_DIR: denoDirectory,
    DENO_NO_UPDATE_CHECK: '1',
    DENO_NO_PACKAGE_JSON: '1',
    NO_COLOR: '1',
    TZ: 'UTC',
  }
  // Windows starts nothing without it.
  return process.platform === 'win32' ? { ...fixed, SystemRoot: process.env.SystemRoot } : fixed
}

/** A child that waits for work keeps nobody from ending: it sees its input close, and ends too. */
function letGo(child: ChildProcess): void {
  child.unref()
  for (const stream of child.stdio) (stream as { unref?(): void } | null)?.unref?.()
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  try {
    if (process.platform === 'win32') child.kill('SIGKILL')
    else process.kill(-child.pid, 'SIGKILL')
  } catch {
    child.kill('SIGKILL')
  }
}

function firstLine(text: string): string {
  return (text.trim().split('\n')[0] ?? '').slice(0, 300)
}
