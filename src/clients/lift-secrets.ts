import type { ServerDefinition } from '../model/server-definition.js'
import type { ClientDefinition, FoundServer, Piece, Text } from './client-format.js'
import { findSecrets, isSecret, type Position } from './find-secrets.js'

/** A server in our own words. Each secret has left a mark in it, until it is known what its variable is called. */
export interface LiftedServer {
  readonly definition: ServerDefinition
  readonly secrets: readonly Secret[]
  /** Variables of the environment that it refers to already. */
  readonly variables: readonly string[]
}

export interface Secret {
  readonly wanted: string
  /** True where the name is the user's own; else the server's comes before it. */
  readonly own: boolean
  /** As the client writes it, and may go on writing it. */
  readonly raw: string
  /** The value itself; unknown where the client asks for it. */
  readonly value?: string
}

const mark = (index: number): string => `\0${index}\0`
const marks = /\0(\d+)\0/g

export function liftSecrets({ definition }: FoundServer): LiftedServer {
  const secrets: Secret[] = []
  const variables = new Set<string>()
  return { definition: ourWords(definition), secrets, variables: [...variables] }

  function ourWords(theirs: ClientDefinition): ServerDefinition {
    if ('url' in theirs) {
      const { url, sse, headers, ...common } = theirs
      const named = each(headers, (key) => ({ kind: 'header', key }))
      return {
        url: write(url, { kind: 'url' }),
        ...(sse ? { type: 'sse' as const } : {}),
        ...(Object.keys(named).length === 0 ? {} : { headers: named }),
        ...common,
      }
    }
    const { command, args, env, cwd, ...common } = theirs
    const named = each(env, (key) => ({ kind: 'env', key }))
    return {
      command: write(command, { kind: 'path' }),
      ...(args.length === 0 ? {} : { args: args.map((arg, at) => write(arg, argument(args[at - 1]))) }),
      ...(Object.keys(named).length === 0 ? {} : { env: named }),
      ...(cwd === undefined ? {} : { cwd: write(cwd, { kind: 'path' }) }),
      ...common,
    }
  }

  function each(texts: Readonly<Record<string, Text>>, position: (key: string) => Position) {
    return Object.fromEntries(
      Object.entries(texts).map(([key, text]) => [key, write(text, position(key))] as const),
    )
  }

  function write(text: Text, position: Position): string {
    return text.map((piece) => writePiece(piece, position, text.length === 1)).join('')
  }

  function writePiece(piece: Piece, position: Position, whole: boolean): string {
    switch (piece.kind) {
      case 'literal':
        return writeLiteral(piece.text, position, whole)
      case 'asked': {
        const own = whole && position.kind === 'env'
        return lift({ wanted: own ? position.key : piece.id, own: true, raw: piece.raw })
      }
      case 'variable': {
        const { name, fallback, raw } = piece
        if (fallback !== undefined && hidesSecret(name, fallback, position)) {
          return lift({ wanted: name, own: true, raw, value: fallback })
        }
        variables.add(name)
        return fallback === undefined ? `\${${name}}` : `\${${name}:-${fallback}}`
      }
      case 'foreign':
        return escaped(piece.raw)
    }
  }

  function writeLiteral(text: string, position: Position, whole: boolean): string {
    let written = ''
    let from = 0
    for (const { start, end, wanted, own } of findSecrets(text, position, whole)) {
      const value = text.slice(start, end)
      written += escaped(text.slice(from, start)) + lift({ wanted, own, raw: value, value })
      from = end
    }
    return written + escaped(text.slice(from))
  }

  function lift(secret: Secret): string {
    return mark(secrets.push(secret) - 1)
  }
}

/** The definition with every mark replaced. */
export function fillMarks<T>(value: T, write: (index: number) => string): T {
  if (typeof value === 'string') return value.replace(marks, (_, index) => write(Number(index))) as T
  if (Array.isArray(value)) return value.map((item) => fillMarks(item, write)) as T
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fillMarks(item, write)])) as T
}

/** `${` of a client that means nothing by it must mean nothing to us either. */
function escaped(text: string): string {
  return text.replaceAll('${', () => '$${')
}

function hidesSecret(name: string, fallback: string, position: Position): boolean {
  const key = position.kind === 'env' || position.kind === 'header' ? position.key : name
  if (isSecret(key, fallback) || isSecret(name, fallback)) return true
  return findSecrets(fallback, position, true).length > 0
}

/** `--api-key` says what the next argument is. */
function argument(before: Text | undefined): Position {
  const first = before?.length === 1 ? before[0] : undefined
  const flag = first?.kind === 'literal' ? /^--?([\w-]+)$/.exec(first.text)?.[1] : undefined
  return flag === undefined ? { kind: 'argument' } : { kind: 'argument', flag }
}
