import type { Pick } from './argument-way.js'
import type { ReadRequest } from './read-request.js'
import type { SeenResult } from './see-result.js'
import { keyOf } from './session-calls.js'

/** What stands at a place, in order, with the row of each. */
export interface Listed {
  readonly key: string
  readonly value: string | number | boolean
  readonly row: string
}

export interface PickContext {
  /** Keys that this argument had in this session, the newest last. */
  readonly used: readonly string[]
  isNamed(one: Listed): boolean
}

/** Each value once. */
export function listOf(values: readonly { readonly value: Listed['value']; readonly row: string }[]): readonly Listed[] {
  const seen = new Set<string>()
  const list: Listed[] = []
  for (const { value, row } of values) {
    const key = keyOf(value)
    if (seen.has(key)) continue
    seen.add(key)
    list.push({ key, value, row })
  }
  return list
}

export function pickValue(list: readonly Listed[], pick: Pick, context: PickContext): Listed | undefined {
  switch (pick) {
    case 'first':
      return list[0]
    case 'last':
      return list.length > 1 ? list.at(-1) : undefined
    case 'named':
      return list.find((one) => !context.used.includes(one.key) && context.isNamed(one))
    case 'unused0':
    case 'unused1':
    case 'unused2': {
      let left = Number(pick.at(-1))
      for (const one of list) if (!context.used.includes(one.key) && left-- === 0) return one
      return undefined
    }
    case 'after0':
    case 'after1':
    case 'after2': {
      const last = context.used.at(-1)
      const at = last === undefined ? -1 : list.findIndex(({ key }) => key === last)
      return at < 0 ? undefined : list[at + 1 + Number(pick.at(-1))]
    }
  }
}

/** In the request: the value itself, or another field of its row. */
export function namedIn(request: ReadRequest, result: SeenResult): (one: Listed) => boolean {
  let rows: Set<string> | undefined
  const namedRows = (): Set<string> => {
    rows = new Set()
    for (const list of result.lists.values())
      for (const { value, row } of list) if (typeof value === 'string' && request.says(value)) rows.add(row)
    return rows
  }
  return ({ value, row }) =>
    (typeof value !== 'boolean' && request.says(String(value))) || (row !== '' && (rows ?? namedRows()).has(row))
}
