/**
 * Candidate arguments of a call, and what speaks for each. Every argument gets the values that known ways lead to; sets of them are put together
 * from the best of each, those of one row as a whole.
 */
import { canonicalJson, type JsonObject } from '../../../model/json.js'
import type { ArgumentSource } from '../../../model/predicted-call.js'
import type { ToolId } from '../../../model/tool.js'
import { combineCandidates } from './combine-candidates.js'
import type { Templates } from './create-templates.js'
import { type Candidate, type Candidates, findCandidates } from './find-candidates.js'
import type { SessionCalls } from './session-calls.js'
import { evidenceAt, weighCall, weighCandidate } from './weigh-evidence.js'

export interface ProposedArguments {
  readonly arguments: JsonObject
  readonly sources: Readonly<Record<string, ArgumentSource>>
  readonly weakest: ArgumentSource
  /** By evidenceNames. */
  readonly evidence: Float64Array
}

const valuesPerArgument = 6
const mostSets = 3
const mostProposed = 24

export function proposeArguments(
  tool: ToolId,
  session: SessionCalls,
  templates: Templates,
): readonly ProposedArguments[] {
  const sets = templates.argumentSets(tool).slice(0, mostSets)
  const names = new Set(sets.flatMap((set) => set.names))
  const candidates = findCandidates(tool, names, session, templates)
  const choices = new Map(
    [...names].map((argument) => {
      const used = session.used(tool, argument)
      const chosen = chooseValues(argument, candidates)
      return [argument, chosen.map((one) => weighCandidate(one, used.has(one.key)))]
    }),
  )
  const proposed = new Map<string, ProposedArguments>()
  for (const set of sets) {
    const lists = set.names.map((argument) => choices.get(argument)!)
    for (const chosen of combineCandidates(lists, mostProposed)) {
      const args = Object.fromEntries(set.names.map((argument, at) => [argument, chosen[at]!.value]))
      const key = canonicalJson(args)
      if (proposed.has(key)) continue
      const evidence = weighCall({ tool, arguments: args, chosen, share: set.share }, session)
      proposed.set(key, { arguments: args, ...sourcesOf(set.names, chosen), evidence })
    }
  }
  return [...proposed.values()].sort((a, b) => worthOf(b) - worthOf(a)).slice(0, mostProposed)
}

/** The best, and what rows put forward. */
function chooseValues(argument: string, candidates: Candidates): readonly Candidate[] {
  const best = candidates.of(argument).slice(0, valuesPerArgument)
  return [...new Set([...best, ...candidates.fromRows(argument)])]
}

function sourcesOf(
  names: readonly string[],
  chosen: readonly Candidate[],
): Pick<ProposedArguments, 'sources' | 'weakest'> {
  const weakest = chosen.toSorted((a, b) => a.best - b.best)[0]?.source ?? 'none'
  return { sources: Object.fromEntries(names.map((name, at) => [name, chosen[at]!.source])), weakest }
}

function worthOf({ evidence }: ProposedArguments): number {
  return evidence[evidenceAt.best]! + evidence[evidenceAt.oneRow]!
}
