import type { ErrorInfo } from '../model/run.js'
import { checkProgram, type ProgramFault } from './check-program.js'
import { codeError } from './code-error.js'
import { findDeno, isExecutable } from './find-deno.js'
import { type ProgramRun, runProgram } from './run-program.js'
import {
  defaultSandboxLimits,
  type Sandbox,
  type SandboxOptions,
  type SandboxOutcome,
  type SandboxProgram,
  type SandboxRun,
} from './sandbox.js'
import { openScratch, type Scratch } from './scratch.js'
import { type Child, type ChildSizes, startChild } from './start-child.js'

export interface DenoSandboxOptions {
  /** Children that wait for a program; 1. */
  readonly ready?: number
  /** What waiting children are started with; runs with others start their own. */
  readonly sizes?: ChildSizes
  /** Else the one that npm brought. */
  readonly denoPath?: string
  /** Where the directory of this process is made; else that of the system for temporary files. */
  readonly temporaryDirectory?: string
  /** Called for each child, before it is ready. */
  onChild?(pid: number): void
  /** For tests of what holds without one of the layers. */
  readonly layers?: {
    /** What is said before a program is run. */
    check?(javascript: string): ProgramFault | undefined
    /** The text of what runs in the Worker. */
    readonly worker?: string
  }
}

/** How long a start that failed is believed: a machine without memory may have some again. */
const believeFailureMs = 30_000
const refillAfterMs = 50

/** Runs each program in a Deno child of its own that has no permission at all: see sandbox.ts for what it promises. */
export function createDenoSandbox(options: DenoSandboxOptions = {}): Sandbox {
  const denoPath = options.denoPath ?? findDeno()
  const check = options.layers?.check ?? checkProgram
  const wanted = options.ready ?? 1
  const alive = new Set<Child>()
  const active = new Set<ProgramRun>()
  /** Killed before they had a program: that they never were ready says nothing. */
  const unwanted = new WeakSet<Child>()
  let sizes: ChildSizes = options.sizes ?? defaultSandboxLimits
  let idle: Child[] = []
  let scratch: Scratch | undefined
  let isClosed = false
  let refill: NodeJS.Timeout | undefined
  let failure: { readonly error: ErrorInfo; readonly at: number } | undefined

  const unavailable = (): ErrorInfo | undefined => {
    if (isClosed) return unavailableError('it was closed')
    if (denoPath === undefined) return unavailableError('Deno is not installed for this platform')
    if (!isExecutable(denoPath)) return unavailableError(`${denoPath} is not there or cannot be executed`)
    return failure !== undefined && Date.now() - failure.at < believeFailureMs ? failure.error : undefined
  }

  const fail = (why: string): ErrorInfo => {
    failure = { error: unavailableError(why), at: Date.now() }
    return failure.error
  }

  const start = (): Child => {
    if (scratch === undefined) {
      scratch = openScratch(options.temporaryDirectory, options.layers?.worker)
      process.once('exit', onExit)
    }
    const child = startChild({
      denoPath: denoPath!,
      scratch,
      sizes: { heapMb: sizes.heapMb, memoryMb: sizes.memoryMb },
      onStart: (pid) => options.onChild?.(pid),
    })
    alive.add(child)
    child.ready.then(
      () => {
        failure = undefined
      },
      (error: Error) => {
        if (!unwanted.has(child)) fail(`Deno does not start: ${error.message}`)
      },
    )
    void child.gone.then(() => {
      alive.delete(child)
      idle = idle.filter((other) => other !== child)
    })
    return child
  }

  const discard = (child: Child): void => {
    unwanted.add(child)
    child.kill()
  }

  const warm = (): void => {
    try {
      while (idle.length < wanted && unavailable() === undefined) idle.push(start())
    } catch (error) {
      fail((error as Error).message)
    }
  }

  /** One that waits, if it is of the right size. */
  const take = (asked: ChildSizes): Child => {
    if (asked.heapMb !== sizes.heapMb || asked.memoryMb !== sizes.memoryMb) {
      sizes = asked
      for (const child of idle.splice(0)) discard(child)
    }
    for (let child = idle.shift(); child !== undefined; child = idle.shift())
      if (child.isAlive()) return child
    return start()
  }

  const run = async (
    program: SandboxProgram,
    runOptions: SandboxOptions,
    onBegun: (run: SandboxRun) => void,
  ): Promise<SandboxOutcome> => {
    const missing = unavailable()
    if (missing !== undefined) return failed(missing)
    const fault = check(program.javascript)
    if (fault !== undefined) return { ...fault, logs: [] }
    if (runOptions.signal.aborted) return failed(codeError('CODE_ABORTED', 'The run was cancelled.'))
    let child: Child
    try {
      child = take(runOptions.limits)
      await child.ready
    } catch (error) {
      return failed(unavailable() ?? fail((error as Error).message))
    }
    const running = runProgram(child, program, runOptions)
    onBegun(running)
    // Starting the next one holds this process up, for which neither a short run nor its answer is to wait.
    clearTimeout(refill)
    refill = setTimeout(warm, refillAfterMs).unref()
    active.add(running)
    const outcome = await running.result
    active.delete(running)
    clearTimeout(refill)
    refill = setTimeout(warm, refillAfterMs).unref()
    return outcome
  }

  /** Whoever forgets to close leaves nothing behind, either. */
  const onExit = (): void => {
    for (const child of alive) child.kill()
    scratch?.removeNow()
  }

  return {
    unavailable,
    warm,
    run(program, runOptions) {
      let begun: SandboxRun | undefined
      const early = new Set<EarlyHold>()
      const onBegun = (run: SandboxRun): void => {
        begun = run
        for (const hold of early) hold.release = run.hold()
      }
      return {
        result: awake(run(program, runOptions, onBegun)),
        logs: () => begun?.logs() ?? [],
        hold() {
          if (begun !== undefined) return begun.hold()
          const hold: EarlyHold = {}
          early.add(hold)
          return () => {
            early.delete(hold)
            hold.release?.()
          }
        },
      }
    },
    async close() {
      isClosed = true
      clearTimeout(refill)
      process.off('exit', onExit)
      for (const running of active) running.abort()
      const leaving = [...alive]
      for (const child of leaving) discard(child)
      await awake(Promise.all(leaving.map((child) => child.gone)))
      await scratch?.remove()
      scratch = undefined
    },
  }
}

/** Asked for before the child had its program. */
interface EarlyHold {
  release?: () => void
}

/** Children keep nobody from ending, so what waits for one has to. */
async function awake<T>(promise: Promise<T>): Promise<T> {
  const timer = setInterval(() => {}, 60_000)
  try {
    return await promise
  } finally {
    clearInterval(timer)
  }
}

function failed(error: ErrorInfo): SandboxOutcome {
  return { error, logs: [] }
}

function unavailableError(why: string): ErrorInfo {
  return {
    code: 'SANDBOX_UNAVAILABLE',
    message: `Code cannot be run here: ${why}.`,
    hint: 'Install the gateway again with its optional packages (npm brings Deno for Linux with glibc, macOS and Windows). Everything else works without it.',
  }
}
