import { UsageError } from '../errors.js'

const longestCode = 200_000
const longestLine = 1_000
const unseen = /[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}]/u

/** @throws UsageError */
export function readCode(value: unknown, what: string): string {
  if (typeof value !== 'string' || value.trim() === '')
    throw new UsageError(`${what} must be TypeScript: the body of an async function.`)
  if (value.length > longestCode)
    throw new UsageError(`${what} must have at most ${longestCode} characters, not ${value.length}.`)
  return value
}

/** People and agents go by it: one line, and nothing in it that is not seen. @throws UsageError */
export function readLine(value: unknown, what: string): string {
  if (typeof value !== 'string' || value.trim() === '' || value.length > longestLine || unseen.test(value))
    throw new UsageError(
      `${what} must be one line of at most ${longestLine} characters, none of them invisible.`,
    )
  return value.trim()
}
