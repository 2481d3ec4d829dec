import { randomUUID } from 'node:crypto'
import { createLineReader } from '../model/line-reader.js'
import type { ErrorInfo } from '../model/run.js'
import { codeError, limitErrors } from './code-error.js'
import { createLogs } from './create-logs.js'
import { type ChildMessage, readMessage } from './read-message.js'
import type { SandboxOptions, SandboxOutcome, SandboxProgram, SandboxRun } from './sandbox.js'
import type { Child, ChildExit } from './start-child.js'
import { startClock } from './start-clock.js'
import { stepBack } from './step-back.js'
import { watchMemory } from './watch-memory.js'

export interface ProgramRun extends SandboxRun {
  abort(): void
}

/** One program in one child, from the first message to the kill. When the result is there the child is dead, or dying, or will be at once: nothing that it says is heard. */
export function runProgram(
  child: Child,
  program: SandboxProgram,
  { call, limits, signal }: SandboxOptions,
): ProgramRun {
  const logs = createLogs(limits.logChars)
  const answered = new Set<number>()
  const mostLineBytes = 3 * Math.max(limits.callChars, limits.valueChars, limits.logChars) + 10_000
  let isOver = false
  let unfinishedBytes = 0
  /** Of the arguments of all calls that wait for their answer. */
  let waitingChars = 0
  let finish: (outcome: SandboxOutcome) => void = () => {}
  const result = new Promise<SandboxOutcome>((resolve) => {
    finish = resolve
  })

  const end = (outcome: Omit<SandboxOutcome, 'logs'>): void => {
    if (isOver) return
    isOver = true
    clock.stop()
    memory.stop()
    clearTimeout(patience)
    signal.removeEventListener('abort', onAbort)
    // The end of a process takes the machine milliseconds, for which the answer of one that did well need not wait.
    if (outcome.error === undefined) setTimeout(() => child.kill(), killAfterMs).unref()
    else child.kill()
    finish({ ...outcome, logs: logs.all() })
  }
  const fail = (error: ErrorInfo, line?: number): void => end({ error, ...(line !== undefined && { line }) })
  const failForged = (): void =>
    fail(codeError('CODE_CRASHED', 'The code sent something that is no message.'))
  const onAbort = (): void => fail(codeError('CODE_ABORTED', 'The run was cancelled.'))

  const clock = startClock({
    wallMs: limits.wallMs,
    pid: child.pid,
    ping: (nonce) => child.send({ t: 'ping', nonce }),
    newNonce: randomUUID,
    onEnd: () => fail(limitErrors.time(limits)),
  })
  const memory = watchMemory({
    pid: child.pid,
    mostBytes: child.restBytes() + limits.memoryMb * 1_048_576,
    onExceeded: () => fail(limitErrors.memory(limits)),
  })
  const patience = setTimeout(() => stepBack(child.pid), patienceMs)

  const reader = createLineReader({
    maxBytes: mostLineBytes,
    onLine(line) {
      if (isOver) return
      const text = line.toString('utf8')
      const message = readMessage(text)
      if (message === undefined) failForged()
      else receive(message, text.length)
    },
    onOversize: () => {},
  })

  const receive = (message: ChildMessage, chars: number): void => {
    switch (message.t) {
      case 'call':
        if (chars > limits.callChars + frameChars)
          fail(limitErrors.output('the arguments of a call', limits.callChars))
        else if (answered.has(message.id)) failForged()
        else if (answered.size >= limits.calls) fail(limitErrors.calls(limits))
        else if (waitingChars + chars > callsAtOnce * limits.callChars + frameChars)
          fail(limitErrors.output('calls that wait together', callsAtOnce * limits.callChars))
        else void makeCall(message, chars)
        break
      case 'log':
        if (!logs.add(message.log)) fail(limitErrors.output('the console', limits.logChars))
        break
      case 'pong':
        if (!clock.pong(message.nonce)) failForged()
        break
      case 'value':
        if (chars > limits.valueChars + frameChars) fail(limitErrors.output('the value', limits.valueChars))
        else end({ value: message.value })
        break
      case 'error':
        endWithFailure(message)
        break
      case 'crashed':
        fail(
          codeError('CODE_CRASHED', `The code broke the place it runs in: ${message.message.slice(0, 500)}`),
        )
        break
    }
  }

  const makeCall = async (
    { id, call: request }: Extract<ChildMessage, { t: 'call' }>,
    chars: number,
  ): Promise<void> => {
    answered.add(id)
    waitingChars += chars
    try {
      const answer = await call(request)
      if (!isOver) child.send({ t: 'answer', id, ...answer })
    } catch (error) {
      // Promised never to happen, and still no reason for the gateway to fall.
      fail(codeError('CODE_CRASHED', `A call broke: ${String(error)}`))
    } finally {
      waitingChars -= chars
    }
  }

  const endWithFailure = ({ code, message, hint, line }: Extract<ChildMessage, { t: 'error' }>): void => {
    const known = workerCodes.find((candidate) => candidate === code) ?? 'CODE_FAILED'
    const isLine = line !== undefined && line >= 1 && line <= program.javascript.split('\n').length
    const text = isLine ? `Line ${line}: ${message}` : message
    fail(codeError(known, text, hint), isLine ? line : undefined)
  }

  const onExit = ({ signal: killedBy, code, words }: ChildExit): void => {
    if (isOver) return
    if (saysOutOfMemory(words)) fail(limitErrors.memory(limits))
    else fail(codeError('CODE_CRASHED', `The sandbox ended by itself (${killedBy ?? `exit ${code}`}).`))
  }

  child.listen({
    onOutput(chunk) {
      if (isOver) return
      const last = chunk.lastIndexOf(0x0a)
      unfinishedBytes = last === -1 ? unfinishedBytes + chunk.length : chunk.length - last - 1
      if (unfinishedBytes > mostLineBytes) fail(limitErrors.output('one message', mostLineBytes))
      else reader.push(chunk)
    },
    onExit,
  })
  if (signal.aborted) onAbort()
  else {
    signal.addEventListener('abort', onAbort, { once: true })
    const { javascript, seed, startedAt } = program
    child.send({ t: 'run', javascript, args: program.arguments, seed, startedAt, limits })
  }
  return { result, logs: logs.all, hold: () => clock.hold(), abort: onAbort }
}

const killAfterMs = 15

/** Long enough for a program that only waits for its calls. */
const patienceMs = 150

/** Of the largest size: what calls are given stays in the gateway until they are answered, and there may be a thousand. */
const callsAtOnce = 2

/** What stands around a value or arguments: a name of 1,000 characters may be written with six for each. */
const frameChars = 8_000

/** What the Worker may call a failure; whatever else it says is the code's own. */
const workerCodes = ['CODE_FAILED', 'CODE_SYNTAX', 'CODE_VALUE', 'CODE_OUTPUT', 'CODE_MEMORY'] as const

/** V8 for its heap, Rust for what it allocates itself. */
function saysOutOfMemory(words: string): boolean {
  return /out of memory|heap limit|memory allocation of \d+ bytes failed|Cannot allocate memory/i.test(words)
}
