/**
 * Runs code that nobody trusts. Promises: it reaches nothing but what `call` gives it; a run ends within its limits, each with an error
 * of its own, and leaves no process, file or memory behind; the next one is not affected. Never touches tools, the store or the
 * catalogue, and never takes a name, an id or a number from the code for granted.
 */
import type { Json, JsonObject } from '../model/json.js'
import type { ErrorInfo } from '../model/run.js'

export interface Sandbox {
  /** Undefined: code can be run. Else why not, and what to do: there is no weaker fallback. */
  unavailable(): ErrorInfo | undefined
  /** Starts what the next run will need, without waiting for it. */
  warm(): void
  run(program: SandboxProgram, options: SandboxOptions): SandboxRun
  close(): Promise<void>
}

export interface SandboxProgram {
  /** JavaScript: the body of an async function. `args`, `tools`, `capabilities` and `console` are there. */
  readonly javascript: string
  readonly arguments: JsonObject
  /** `Math.random` and `crypto.randomUUID` are drawn from it: the same program, answered alike, does the same again. */
  readonly seed: string
  /** What `Date.now()` says at first; it moves to `at` of each answer and not by itself. */
  readonly startedAt: number
  /** How many programs wait for it: 0 for one that nobody else's code has called. */
  readonly depth: number
}

export interface SandboxOptions {
  /** Never rejects. Called for each call that the code makes, at once: who limits how many run at a time is behind it. */
  call(request: SandboxCall): Promise<SandboxAnswer>
  readonly limits: SandboxLimits
  readonly signal: AbortSignal
}

export interface SandboxCall {
  readonly kind: 'tool' | 'capability'
  /** As the code wrote it: `server.tool` comes as `server:tool`; `tools["any form"]` as it is. Any text, at most 1,000 characters. */
  readonly name: string
  readonly arguments: JsonObject
}

export type SandboxAnswer = ({ readonly value: Json } | { readonly error: ErrorInfo }) & {
  /** When it came, by the clock of the run. */
  readonly at: number
}

export interface SandboxLimits {
  /** Time by the clock, but for what is held. */
  readonly wallMs: number
  /** JavaScript heap. All memory of the process: `memoryMb` more than it has at rest. */
  readonly heapMb: number
  readonly memoryMb: number
  readonly calls: number
  /** Characters of the value, as JSON; and of all lines of the console. */
  readonly valueChars: number
  readonly logChars: number
  /** Of the arguments of one call, as JSON. */
  readonly callChars: number
}

export interface SandboxRun {
  /** Never rejects. */
  readonly result: Promise<SandboxOutcome>
  /** What it has said so far: the beginning of what the outcome holds. */
  logs(): readonly SandboxLog[]
  /**
   * Somebody has to decide something: time stands still until the function it gives is called; but not for code that computes meanwhile.
   * Any number at once.
   */
  hold(): () => void
}

export interface SandboxOutcome {
  /** Undefined where it failed. */
  readonly value?: Json
  /** `message` says the line of the code where it is known. Codes: see code-error.ts. */
  readonly error?: ErrorInfo
  /** 1-based, where known. */
  readonly line?: number
  readonly logs: readonly SandboxLog[]
}

export interface SandboxLog {
  readonly level: 'log' | 'info' | 'warn' | 'error' | 'debug'
  readonly text: string
}

/** As the design says; what a user may change is in the configuration. */
export const defaultSandboxLimits: SandboxLimits = {
  wallMs: 30_000,
  heapMb: 256,
  memoryMb: 512,
  calls: 1_000,
  valueChars: 4_000_000,
  logChars: 100_000,
  callChars: 4_000_000,
}
