import { newId } from '../model/new-id.js'
import type { Speculation } from '../model/speculation.js'
import { formatToolId } from '../model/tool.js'

/** A row of the ledger, of a moment ago: started and not used yet, unless said otherwise. */
export function makeSpeculation(changes: Partial<Speculation> = {}): Speculation {
  return {
    id: newId(),
    session: 's',
    tool: formatToolId('files', 'read'),
    arguments: { path: 'a.txt' },
    p: 0.9,
    toolP: 0.95,
    source: 'result',
    predictedAt: Date.now(),
    decision: 'started',
    cost: 0,
    ...changes,
  }
}
