import { PmlError, toErrorInfo, UsageError } from '../errors.js'
import { coloursFor } from './colour.js'
import { type Io, printJson } from './io.js'

/** One line of what happened and one of what to do; for programs, the same as JSON. Gives the exit code. */
export function reportError(error: unknown, io: Io, json: boolean): number {
  const info = toErrorInfo(error)
  if (json) printJson(io, { error: info })
  else {
    const { red, dim } = coloursFor(io, io.stderr)
    io.stderr.write(`${red('error:')} ${info.message}\n${dim(`  ${info.hint}`)}\n`)
  }
  if (!(error instanceof PmlError) && io.env.PML_LOG === 'debug' && error instanceof Error) {
    io.stderr.write(`${error.stack}\n`)
  }
  return error instanceof UsageError ? 2 : 1
}
