import type { ErrorInfo } from '../model/run.js'
import type { SandboxLimits } from './sandbox.js'

/** How a run of code can fail: each limit has its own code. */
export type CodeErrorCode =
  | 'CODE_SYNTAX'
  | 'CODE_FAILED'
  | 'CODE_VALUE'
  | 'CODE_TIMEOUT'
  | 'CODE_MEMORY'
  | 'CODE_CALLS'
  | 'CODE_OUTPUT'
  | 'CODE_ABORTED'
  | 'CODE_CRASHED'

const hints: Readonly<Record<CodeErrorCode, string>> = {
  CODE_SYNTAX: 'Correct the code and run it again; nothing of it was run.',
  CODE_FAILED: 'Correct the code and run it again; calls that it made before are not taken back.',
  CODE_VALUE:
    'Return plain data: objects, arrays, texts, numbers, true, false and null; a bigint as text, a promise awaited.',
  CODE_TIMEOUT: 'Do less in one run, or call tools together with Promise.all.',
  CODE_MEMORY: 'Keep less at a time: work in pieces, and return a summary.',
  CODE_CALLS: 'Do less in one run; a loop that calls tools needs an end.',
  CODE_OUTPUT: 'Return a part or a summary.',
  CODE_ABORTED: 'Run it again if it is still wanted.',
  CODE_CRASHED:
    'Run it again; if it happens every time, the code does something that the sandbox does not allow.',
}

export function codeError(code: CodeErrorCode, message: string, hint?: string): ErrorInfo {
  return { code, message, hint: hint ?? hints[code] }
}

export const limitErrors = {
  time: ({ wallMs }: SandboxLimits) =>
    codeError('CODE_TIMEOUT', `The code was stopped: it had not ended after ${wallMs / 1_000} s.`),
  memory: ({ memoryMb, heapMb }: SandboxLimits) =>
    codeError(
      'CODE_MEMORY',
      `The code was stopped: it took more than ${heapMb} MB of objects or ${memoryMb} MB in all.`,
    ),
  calls: ({ calls }: SandboxLimits) =>
    codeError('CODE_CALLS', `The code was stopped: it made more than ${calls} calls.`),
  output: (what: string, most: number) =>
    codeError('CODE_OUTPUT', `The code was stopped: ${what} may have ${most} characters, and it gave more.`),
}
