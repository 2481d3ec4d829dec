import type { RunHandle } from '../../execute/runs.js'
import { type ClientSide, nobody } from '../../model/client-side.js'

/**
 * Who may be asked by the tools of a run. A run outlives the request that started it: its line always leads to the client whose
 * request waits for it, or did last.
 */
export interface RunLines {
  /** For a run that is about to start; `tie` when it has. */
  open(client: ClientSide | undefined): RunLine
  /** From now on the tools of this run reach this client: said before it is told to go on. */
  redirect(run: string, client: ClientSide | undefined): void
}

export interface RunLine {
  readonly client: ClientSide
  tie(handle: RunHandle): void
}

export function createRunLines(): RunLines {
  const lines = new Map<string, { now: ClientSide }>()
  return {
    open(client) {
      const line = { now: client ?? nobody }
      return {
        client: clientOf(line),
        tie({ id, result }) {
          lines.set(id, line)
          void result.then(() => lines.delete(id))
        },
      }
    },
    redirect(id, client) {
      const line = lines.get(id)
      if (line !== undefined) line.now = client ?? nobody
    },
  }
}

function clientOf(line: { readonly now: ClientSide }): ClientSide {
  return {
    get capabilities() {
      return line.now.capabilities
    },
    get logLevel() {
      return line.now.logLevel
    },
    // A task's question is answered within the run: `input_required` would be the answer to another request.
    takesInputRequired: false,
    ask: (question, signal) => line.now.ask(question, signal),
    tell: (notice) => line.now.tell(notice),
    letGo: () => line.now.letGo?.(),
  }
}
