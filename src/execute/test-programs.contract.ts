/** Programs for tests of runs: code that is ours, run in this very process. */
import { PmlError, toErrorInfo } from '../errors.js'
import type { Json } from '../model/json.js'
import { formatToolId, type ToolId } from '../model/tool.js'
import { defaultSandboxLimits, type SandboxOutcome } from '../sandbox/sandbox.js'
import type { Programs } from './programs.js'

/** For runs without any. */
export const noPrograms: Programs = plainPrograms({})

/** How often time stood still, and was let go on. */
export interface Held {
  held: number
  released: number
}

export function plainPrograms(
  capabilities: Readonly<Record<string, string>>,
  held: Held = { held: 0, released: 0 },
): Programs {
  return {
    limits: () => defaultSandboxLimits,
    resolve({ kind, name }) {
      if (kind === 'capability') return formatToolId('cap', name)
      if (name === 'none:none') throw new PmlError('TOOL_NOT_FOUND', 'No tool "none:none".', '')
      return name as ToolId
    },
    codeOf(id) {
      const code = capabilities[id]
      if (code === undefined) throw new PmlError('CAPABILITY_NOT_FOUND', `No capability "${id}".`, '')
      return code
    },
    missing: () => [],
    kept: () => undefined,
    mark: () => 0,
    keep() {},
    sandbox: {
      unavailable: () => undefined,
      run({ javascript, arguments: args }, { call, signal }) {
        const logs: { level: 'log'; text: string }[] = []
        const caller = (kind: 'tool' | 'capability') =>
          new Proxy(
            {},
            {
              get: (_, name) => async (given: Record<string, Json>) => {
                const answer = await call({ kind, name: String(name), arguments: given })
                if ('error' in answer) throw new PmlError(answer.error.code, answer.error.message, '')
                return answer.value
              },
            },
          )
        const log = (...said: unknown[]): void => void logs.push({ level: 'log', text: said.join(' ') })
        const run = new AsyncFunction('args', 'tools', 'capabilities', 'console', javascript)
        const ended: Promise<SandboxOutcome> = run(args, caller('tool'), caller('capability'), { log }).then(
          (value: Json | undefined) => ({ value: value ?? null, logs }),
          (error: unknown) => ({ error: { ...toErrorInfo(error), code: 'CODE_FAILED' }, logs }),
        )
        const stopped = new Promise<SandboxOutcome>((resolve) =>
          signal.addEventListener('abort', () =>
            resolve({ error: { code: 'CODE_ABORTED', message: 'Stopped.', hint: '' }, logs }),
          ),
        )
        return {
          result: Promise.race([ended, stopped]),
          logs: () => logs,
          hold() {
            held.held += 1
            return () => {
              held.released += 1
            }
          },
        }
      },
    },
  }
}

const AsyncFunction = (async () => {}).constructor as new (
  ...parts: string[]
) => (...given: unknown[]) => Promise<Json | undefined>
