import { isObject } from '../model/json.js'

/** What every client's entry has, whatever else it needs. */
export interface PmlStart {
  readonly command: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Codex: variables of its own environment that it hands on. */
  readonly env_vars?: readonly string[]
}

/**
 * An entry of ours that is there keeps what a person added: other keys, its environment, options of `serve`. One that
 * reaches PML over HTTP makes way, because it could not bring secrets along.
 */
export function mergeEntries(old: unknown, entry: PmlStart): object {
  if (!isObject(old) || typeof old.command !== 'string') return entry
  const env = { ...(isObject(old.env) ? old.env : {}), ...entry.env }
  const [program, ...rest] = entry.args
  const config = rest.at(-1)!
  const kept = Array.isArray(old.args) && old.args.includes(config) ? old.args.slice(1) : rest
  const passed = [...new Set([...variables(old), ...variables(entry)])]
  return {
    ...old,
    ...entry,
    args: [program, ...kept],
    ...(passed.length === 0 ? {} : { env_vars: passed }),
    ...(Object.keys(env).length === 0 ? {} : { env }),
  }
}

function variables({ env_vars }: { readonly env_vars?: unknown }): readonly unknown[] {
  return Array.isArray(env_vars) ? env_vars : []
}
