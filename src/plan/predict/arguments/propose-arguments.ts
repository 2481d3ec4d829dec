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
import { canonicalCallKey } from './value-key.js'
import { evidenceAt, type WeighedCandidate, weighCall, weighCandidate } from './weigh-evidence.js'

/** Hundreds of a look, of which few are looked at further: see argumentsOf and sourcesOf. */
export interface ProposedArguments {
  readonly names: readonly string[]
  /** By the names. */
  readonly chosen: readonly Choice[]
  /** What the call is compared by. */
  readonly key: string
  /** By evidenceNames. */
  readonly evidence: Float64Array
}

interface Choice extends WeighedCandidate {
  /** `"name":value`, canonical. */
  readonly json: string
}

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
  const choices = new Map<string, readonly Choice[]>()
  for (const argument of names) {
    const used = session.used(tool, argument)
    const chosen = chooseValues(argument, candidates)
    choices.set(
      argument,
      chosen.map((candidate) => ({
        candidate,
        evidence: weighCandidate(candidate, used.has(candidate.key)),
        json: `${JSON.stringify(argument)}:${canonicalJson(candidate.value)}`,
      })),
    )
  }
  return sets
    .flatMap(({ names, share }) =>
      combineCandidates(
        names.map((argument) => choices.get(argument)!),
        mostProposed,
      ).map((chosen): ProposedArguments => {
        const key = canonicalCallKey(tool, `{${chosen.map(({ json }) => json).join(',')}}`)
        return { names, chosen, key, evidence: weighCall({ key, chosen, share }, session) }
      }),
    )
    .sort((a, b) => worthOf(b) - worthOf(a))
    .slice(0, mostProposed)
}

export function argumentsOf({ names, chosen }: ProposedArguments): JsonObject {
  return Object.fromEntries(names.map((argument, at) => [argument, chosen[at]!.candidate.value]))
}

export function sourcesOf({ names, chosen }: ProposedArguments): Readonly<Record<string, ArgumentSource>> {
  return Object.fromEntries(names.map((name, at) => [name, chosen[at]!.candidate.source]))
}

/** The source that is believed least. */
export function weakestSource({ chosen }: ProposedArguments): ArgumentSource {
  return chosen.map(({ candidate }) => candidate).toSorted((a, b) => a.best - b.best)[0]?.source ?? 'none'
}

/** The best, and what rows put forward. */
function chooseValues(argument: string, candidates: Candidates): readonly Candidate[] {
  return [...new Set([...candidates.of(argument), ...candidates.fromRows(argument)])]
}

function worthOf({ evidence }: ProposedArguments): number {
  return evidence[evidenceAt.best]! + evidence[evidenceAt.oneRow]!
}
