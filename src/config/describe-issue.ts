import type { z } from 'zod'
import { closestName } from '../model/closest-name.js'
import type { Path } from './config-text.js'

export interface Problem {
  readonly path: Path
  readonly expected: string
}

/**
 * What zod found, in our words: `expected a string, got 5`. `written` is the file's own value, before references were
 * resolved, so that no secret of the environment ends up in a message.
 */
export function describeIssue(
  issue: z.core.$ZodIssue,
  written: unknown,
  knownKeys: (path: Path) => readonly string[],
): readonly Problem[] {
  const path = issue.path.map((step) => (typeof step === 'symbol' ? String(step) : step))
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: [...path, key], expected: unknownKey(key, knownKeys(path)) }))
  }
  if (issue.code === 'invalid_union') {
    const meant = issue.errors.find((errors) => errors.every(isWithin))
    if (meant !== undefined)
      return meant.flatMap((one) =>
        describeIssue({ ...one, path: [...issue.path, ...one.path] }, written, knownKeys),
      )
  }
  return [{ path, expected: `expected ${expectation(issue)}, got ${show(valueAt(written, path), path)}` }]
}

/** Not of another kind altogether, so that this is how it was meant. */
function isWithin({ path, code }: z.core.$ZodIssue): boolean {
  return path.length > 0 || code === 'unrecognized_keys'
}

export function unknownKey(key: string, known: readonly string[]): string {
  const closest = closestName(key, known)
  if (closest !== undefined) return `unknown key, did you mean "${closest}"?`
  return known.length > 0 ? `unknown key, expected one of ${known.join(', ')}` : 'unknown key'
}

export function formatPath(path: Path): string {
  return path
    .map((step, index) => {
      if (typeof step === 'number') return `[${step}]`
      if (!/^[\w$-]+$/.test(step)) return `[${JSON.stringify(step)}]`
      return index === 0 ? step : `.${step}`
    })
    .join('')
}

const nouns: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a mapping',
  record: 'a mapping',
}

function expectation(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return nouns[issue.expected] ?? issue.expected
    case 'invalid_value':
      return `one of ${issue.values.map(String).join(', ')}`
    case 'too_small':
      if (issue.origin === 'string') return 'a text that is not empty'
      return issue.inclusive ? `at least ${issue.minimum}` : `more than ${issue.minimum}`
    case 'invalid_union':
      return issue.errors.map(([first]) => first && expectation(first)).join(' or ')
    case 'too_big':
      return `at most ${issue.maximum}`
    default:
      return issue.message
  }
}

/** Places whose values are often secrets: only their type is told. */
const oftenSecret = /^(?:env|headers|url|serverUrl|httpUrl|token|apiKey)$/

export function show(value: unknown, path: Path): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'a mapping'
  if (path.some((step) => oftenSecret.test(String(step)))) return `a ${typeof value}`
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 60 ? `${text.slice(0, 57)}...` : text
}

function valueAt(root: unknown, path: Path): unknown {
  let value = root
  for (const step of path) {
    if (value === null || typeof value !== 'object' || !Object.hasOwn(value, step)) return undefined
    value = (value as Record<string | number, unknown>)[step]
  }
  return value
}
