/**
 * The sessions of a set, `seqs.jsonl`: {id, query?, steps: [tool], group?}. `turns` and `ok` are left aside: no gateway sees where a
 * person's turn ends, nor whether the task went well.
 */
import { readSessionRow, type SessionRow } from './read-session-row.js'
import { badRow, isId, readLines } from './read-set.js'
import { readToolNames, type ToolNames } from './read-tool-names.js'

export interface Sequence extends SessionRow {
  /** The set's ids. */
  readonly steps: readonly string[]
}

export interface SequenceSet extends ToolNames {
  readonly sequences: readonly Sequence[]
}

export async function readSeqs(directory: string): Promise<SequenceSet> {
  const lines = await readLines(directory, 'seqs')
  const sequences = lines.map((line): Sequence => {
    const session = readSessionRow(line, directory, 'seqs')
    const { steps } = line.row
    if (!Array.isArray(steps) || !steps.every(isId))
      throw badRow(directory, 'seqs', line.line, '"steps", a list of tool ids')
    return { ...session, steps: steps.map(String) }
  })
  return { sequences, ...(await readToolNames(directory)) }
}
