/** Agent-written code as data: what it calls, in which order, with what. Nothing here runs it. */
import type { Json, JsonObject } from '../../model/json.js'

export interface Program {
  /** As it was written: the body of an async function, in TypeScript. */
  readonly code: string
  /** The same without types, and with a bare last expression returned; every line where it was. */
  readonly javascript: string
  readonly calls: readonly ProgramCall[]
  readonly edges: readonly ProgramEdge[]
  /** It may call what cannot be seen in it (is-open.ts). */
  readonly isOpen: boolean
}

/** One place of the code that calls a tool or a capability. */
export interface ProgramCall {
  /** `c1`, `c2`, ... in the order of the code. */
  readonly id: string
  readonly kind: 'tool' | 'capability'
  /** `server:tool` or as written in brackets; undefined where it is computed. */
  readonly name?: string
  /** 1-based. */
  readonly line: number
  readonly column: number
  /**
   * What is known of its argument without running it: JSON with `{"$from": "c1.items[0].id"}` for what another call gave, `{"$arg": "path"}`
   * for an argument of the program, `{"$unknown": "source text"}` for the rest. Undefined: nothing is.
   */
  readonly arguments?: Json
  /** The innermost of what it stands in; absent: it is called once, always. */
  readonly inside?: 'loop' | 'branch' | 'function'
  /** Calls that go side by side with it, as in one Promise.all; undefined: it is awaited by itself. */
  readonly together?: string
}

/** `to` needs what `from` gave, or comes after it because the code waits for `from` first. */
export interface ProgramEdge {
  readonly from: string
  readonly to: string
  readonly type: 'data' | 'order'
}

/** What is wrong with a program, before it runs. */
export interface ProgramProblem {
  readonly line: number
  readonly column: number
  readonly message: string
}

/** A program whose literals are parameters. */
export interface LiftedProgram {
  /** TypeScript; reads what was lifted from `args`. With `arguments` it does what the program did with its literals. */
  readonly code: string
  readonly inputSchema: JsonObject
  /** The literals, by parameter. */
  readonly arguments: JsonObject
  /** The same for programs that differ in names of variables, literals, comments and layout alone. Hexadecimal. */
  readonly structure: string
}
