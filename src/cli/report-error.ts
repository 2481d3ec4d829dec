import { PmlError, toErrorInfo, UsageError } from '../errors.js'
import { coloursFor } from './colour.js'
import { type Io, printJson } from './io.js'
import { terminalHint } from './terminal-hint.js'

export interface ReportOptions {
  readonly json: boolean
  /** The command that was typed, where it is one. */
  readonly command: string | undefined
}

/** One line of what happened and one of what to do; for programs, the same as JSON. Gives the exit code. */
export function reportError(error: unknown, io: Io, { json, command }: ReportOptions): number {
  const info = toErrorInfo(error)
  const advice = terminalHint(info)
  const hint = command !== undefined && advice === 'See: pml --help' ? `See: pml ${command} --help` : advice
  if (json) printJson(io, { error: { ...info, hint } })
  else {
    const { red, dim } = coloursFor(io, io.stderr)
    io.stderr.write(`${red('error:')} ${info.message}\n${dim(`  ${hint}`)}\n`)
  }
  if (!(error instanceof PmlError) && io.env.PML_LOG === 'debug' && error instanceof Error) {
    io.stderr.write(`${error.stack}\n`)
  }
  return error instanceof UsageError ? 2 : 1
}
