import { createHash } from 'node:crypto'
import { ResultHandleError } from '../errors.js'

/**
 * Keeps what was cut from a reply, so that the agent can page through it: by `control_workflow` (action `read`) or as the
 * resource `pml://result/<handle>?offset=N`. In memory, bounded by bytes; what was kept or read longest ago goes first. A
 * handle is the hash of what it names, so that a reply given many times over keeps its results once.
 */
export interface ResultStore {
  keepText(text: string): string
  /** Base64 data of an image, a sound or a file. */
  keepBlob(data: string, mimeType: string): string
  /** @throws ResultHandleError */
  read(handle: string, offset: number, limit: number): ResultPage
}

export type ResultPage =
  | {
      readonly kind: 'text'
      readonly text: string
      /** Offsets count characters (UTF-16 units) of the whole text. */
      readonly offset: number
      readonly total: number
      /** Where to read on; absent at the end. */
      readonly next?: number
    }
  | { readonly kind: 'blob'; readonly data: string; readonly mimeType: string }

interface Kept {
  readonly text: string
  readonly mimeType?: string
}

export function createResultStore(options: { readonly maxBytes: number }): ResultStore {
  const kept = new Map<string, Kept>()
  let bytes = 0

  const drop = (handle: string): void => {
    bytes -= size(kept.get(handle)!)
    kept.delete(handle)
  }
  const keep = (one: Kept): string => {
    const handle = handleOf(one)
    if (kept.has(handle)) drop(handle)
    kept.set(handle, one)
    bytes += size(one)
    // The newest stays even when it alone is above the bound: its handle is about to be given out.
    for (const oldest of kept.keys()) {
      if (bytes <= options.maxBytes || oldest === handle) break
      drop(oldest)
    }
    return handle
  }

  return {
    keepText: (text) => keep({ text }),
    keepBlob: (data, mimeType) => keep({ text: data, mimeType }),
    read(handle, offset, limit) {
      const one = kept.get(handle)
      if (one === undefined) throw new ResultHandleError(handle)
      kept.delete(handle)
      kept.set(handle, one)
      if (one.mimeType !== undefined) return { kind: 'blob', data: one.text, mimeType: one.mimeType }
      const total = one.text.length
      const start = wholeCharacter(one.text, Math.min(offset, total))
      const end = wholeCharacter(one.text, Math.min(start + Math.max(limit, 2), total))
      const page = { kind: 'text', text: one.text.slice(start, end), offset: start, total } as const
      return end < total ? { ...page, next: end } : page
    },
  }
}

function handleOf({ text, mimeType = '' }: Kept): string {
  return createHash('sha256').update(`${mimeType}\n`).update(text).digest('base64url').slice(0, 32)
}

/** JavaScript keeps a character in one byte or two; two is the safe assumption. */
function size(one: Kept): number {
  return one.text.length * 2
}

/** The nearest position at or before `at` that does not split a surrogate pair. */
export function wholeCharacter(text: string, at: number): number {
  const unit = text.charCodeAt(at)
  return at > 0 && unit >= 0xdc00 && unit <= 0xdfff ? at - 1 : at
}
