import { isObject, type Json, type JsonObject } from '../model/json.js'
import type { SandboxCall, SandboxLog } from './sandbox.js'

/** What a child may say. The code can forge each of them, so none means more than that the code said so. */
export type ChildMessage =
  | { readonly t: 'call'; readonly id: number; readonly call: SandboxCall }
  | { readonly t: 'log'; readonly log: SandboxLog }
  | { readonly t: 'pong'; readonly nonce: string }
  | { readonly t: 'value'; readonly value: Json }
  | {
      readonly t: 'error'
      readonly code: string
      readonly message: string
      readonly hint?: string
      readonly line?: number
    }
  | { readonly t: 'crashed'; readonly message: string }

const levels: readonly string[] = ['log', 'info', 'warn', 'error', 'debug']
const mostNameChars = 1_000
const mostMessageChars = 5_000
/** The Worker refuses at 200. What is deeper cannot be written as JSON by whoever gets it. */
const deepest = 250

/** Undefined: it is none. */
export function readMessage(line: string): ChildMessage | undefined {
  let data: unknown
  try {
    data = JSON.parse(line)
  } catch {
    return undefined
  }
  if (!isObject(data)) return undefined
  const field = (key: string): Json | undefined => (Object.hasOwn(data, key) ? data[key] : undefined)
  switch (field('t')) {
    case 'call':
      return readCall(field)
    case 'log': {
      const [level, text] = [field('level'), field('text')]
      if (typeof text !== 'string' || typeof level !== 'string' || !levels.includes(level)) return undefined
      return { t: 'log', log: { level: level as SandboxLog['level'], text } }
    }
    case 'pong': {
      const nonce = field('nonce')
      return typeof nonce === 'string' ? { t: 'pong', nonce } : undefined
    }
    case 'value': {
      const value = field('value')
      return value !== undefined && isShallow(value, deepest) ? { t: 'value', value } : undefined
    }
    case 'error':
      return readFailure(field)
    case 'crashed': {
      const message = field('message')
      return typeof message === 'string' ? { t: 'crashed', message } : undefined
    }
    default:
      return undefined
  }
}

type Field = (key: string) => Json | undefined

function readCall(field: Field): ChildMessage | undefined {
  const [id, kind, name, args] = [field('id'), field('kind'), field('name'), field('args')]
  if (typeof id !== 'number' || !Number.isSafeInteger(id) || id < 0) return undefined
  if (kind !== 'tool' && kind !== 'capability') return undefined
  if (typeof name !== 'string' || name.length > mostNameChars) return undefined
  if (!isObject(args) || !isShallow(args, deepest)) return undefined
  return { t: 'call', id, call: { kind, name, arguments: args as JsonObject } }
}

function readFailure(field: Field): ChildMessage | undefined {
  const [code, message, hint, line] = [field('code'), field('message'), field('hint'), field('line')]
  if (typeof code !== 'string' || typeof message !== 'string' || message.length > mostMessageChars)
    return undefined
  return {
    t: 'error',
    code,
    message,
    ...(typeof hint === 'string' && hint.length <= mostMessageChars && { hint }),
    ...(typeof line === 'number' && Number.isSafeInteger(line) && { line }),
  }
}

function isShallow(value: Json, levelsLeft: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  if (levelsLeft === 0) return false
  if (Array.isArray(value)) {
    for (const part of value) if (!isShallow(part, levelsLeft - 1)) return false
    return true
  }
  for (const key in value) if (!isShallow((value as JsonObject)[key]!, levelsLeft - 1)) return false
  return true
}
