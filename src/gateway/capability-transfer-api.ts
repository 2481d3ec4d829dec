import { describeProgram } from '../capabilities/program/describe-program.js'
import { liftProgram } from '../capabilities/program/lift-program.js'
import type { Program } from '../capabilities/program/program.js'
import { readProgram } from '../capabilities/program/read-program.js'
import { slugOf } from '../capabilities/slug-of.js'
import { PmlError, UsageError } from '../errors.js'
import { type Capability, type CapabilityId, capabilityId } from '../model/capability.js'
import type { JsonObject } from '../model/json.js'
import { rankRisk } from '../model/rank-risk.js'
import { redactJson } from '../model/redact.js'
import type { Risk } from '../model/risk.js'
import { type CapabilitiesDeps, findTool, idOf, loaded } from './capabilities-api.js'
import {
  type CapabilityFile,
  capabilityFileVersion,
  type FiledCapability,
  readCapabilityFile,
} from './capability-file.js'
import type { OpenCapabilities } from './open-capabilities.js'
import { examplesOfSchema } from './parameter-examples.js'

/*
 * POST /api/capabilities/export {names?, withIntents?}  CapabilityFile; all of them unless some are named, with those that they call
 * POST /api/capabilities/import {file, isTrial?}        {entries: ImportedCapability[]}; with isTrial nothing is taken, only told
 */
export interface ImportedCapability {
  readonly name: string
  /** `known`: its structure is there already; `refused` says why in `why`. */
  readonly verdict: 'new' | 'known' | 'refused'
  readonly why?: string
  /** Of one that is known: what it is called here. */
  readonly as?: string
  /** That it has here, or will have; absent: it is refused. */
  readonly id?: CapabilityId
  readonly description: string
  /** Requests that it is to be found by. */
  readonly intents: readonly string[]
  readonly code: string
  /** What it does, step by step; empty where the code cannot be read. */
  readonly steps: string
  /** At worst, by what it calls. */
  readonly risk: Risk
  /** Tools that are not here, so that it cannot run yet. */
  readonly missing: readonly string[]
  /** What a person should know before it is taken. */
  readonly notes: readonly string[]
}

/** @throws CapabilityNotFoundError, UsageError */
export async function exportCapabilities(body: JsonObject, deps: CapabilitiesDeps): Promise<CapabilityFile> {
  const capabilities = await loaded(deps)
  const { shelf, find } = capabilities
  const wanted = readNames(body.names)
  const chosen = wanted.length === 0 ? shelf.all() : wanted.map(find)
  return redactJson(
    {
      format: 'pml-capabilities',
      version: capabilityFileVersion,
      exportedAt: Date.now(),
      capabilities: calledFirst(chosen, capabilities).map((one) => toFiled(one, body.withIntents === true)),
    },
    deps.redact,
  )
}

/** One after the other, as they stand: what is called comes before its callers. @throws UsageError where the file is not sound */
export async function importCapabilities(
  body: JsonObject,
  deps: CapabilitiesDeps,
): Promise<{ readonly entries: readonly ImportedCapability[] }> {
  await loaded(deps)
  const file = readCapabilityFile(body.file)
  await deps.view.firstSettled()
  const entries = new Map<string, ImportedCapability | undefined>(
    file.capabilities.map(({ name }) => [name, undefined]),
  )
  for (const filed of file.capabilities) {
    const judged = judge(filed, entries, deps)
    const entry = judged.verdict === 'new' && body.isTrial !== true ? await take(filed, judged, deps) : judged
    entries.set(filed.name, entry)
  }
  return redactJson({ entries: [...entries.values()].map((entry) => entry!) }, deps.redact)
}

function readNames(value: unknown): readonly string[] {
  if (value === undefined || value === null) return []
  if (!Array.isArray(value) || value.some((name) => typeof name !== 'string'))
    throw new UsageError('"names" must be a list of names.')
  return value as readonly string[]
}

/** With everything that they call, however deep; each once. Without recursion: no chain is too deep. */
function calledFirst(chosen: readonly Capability[], { shelf }: OpenCapabilities): readonly Capability[] {
  const placed = new Map<CapabilityId, Capability>()
  const entered = new Set<CapabilityId>()
  const open = chosen.toReversed()
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    if (placed.has(one.id)) continue
    const below = entered.has(one.id)
      ? []
      : one.calls.flatMap((id) => (entered.has(id) ? [] : (shelf.get(id) ?? [])))
    entered.add(one.id)
    if (below.length === 0) placed.set(one.id, one)
    else open.push(one, ...below)
  }
  return [...placed.values()]
}

function toFiled(capability: Capability, withIntents: boolean): FiledCapability {
  const { name, description, intents, code, inputSchema, structure } = capability
  return {
    ...{ name, description },
    ...(withIntents && intents.length > 0 && { intents }),
    ...{ code, inputSchema, structure },
  }
}

/** Those of the file by name; undefined: its turn has not come. */
type Entries = ReadonlyMap<string, ImportedCapability | undefined>

function judge(filed: FiledCapability, entries: Entries, deps: CapabilitiesDeps): ImportedCapability {
  const { shelf } = deps.capabilities
  const { name, description, intents = [], code } = filed
  const program = readable(code)
  const unread = {
    name,
    description,
    intents,
    code,
    steps: '',
    risk: 'moderate',
    missing: [],
    notes: [],
  } as const
  if (program instanceof PmlError) return { ...unread, verdict: 'refused', why: program.message }
  const { structure } = liftProgram(program, {
    arguments: examplesOfSchema(filed.inputSchema),
    nameOf: (kind, called) => (kind === 'capability' && entries.get(called)?.id) || idOf(kind, called, deps),
  })
  const missing = namesOf(program, 'tool').filter((tool) => findTool(tool, deps) === undefined)
  const told = {
    ...{ name, description, intents, code, missing },
    steps: describeProgram(program),
    risk: worstOf(program, entries, deps),
    notes: notesOf(program, isChanged(filed, program, structure)),
  }
  const known = shelf.ofStructure(structure)
  if (known !== undefined) return { ...told, verdict: 'known', as: known.name, id: known.id }
  const why = reasonAgainst(filed, program, entries, deps)
  return why === undefined
    ? { ...told, verdict: 'new', id: capabilityId(slugOf(name) || 'procedure', structure) }
    : { ...told, verdict: 'refused', why }
}

function reasonAgainst(
  { name, code }: FiledCapability,
  program: Program,
  entries: Entries,
  deps: CapabilitiesDeps,
): string | undefined {
  const { capabilities, redact } = deps
  if (redact(code) !== code) return 'Its code holds a secret of the configuration here.'
  // A name that was given up may still stand in the code of others.
  if (capabilities.shelf.find(name) !== undefined)
    return `Another one is called ${name} here: rename that one with pml capabilities rename, or this one in the file.`
  const nameless = namesOf(program, 'tool').find(
    (tool) => findTool(tool, deps) === undefined && !/^[^:]+:./.test(tool),
  )
  if (nameless !== undefined) return `It calls ${nameless}, which is no tool here.`
  const absent = namesOf(program, 'capability').find((called) => !isThere(called, entries, deps))
  return absent === undefined
    ? undefined
    : `It calls the capability ${absent}, which is neither here under this name nor taken from the file before it.`
}

/** What the file means by a name is what it holds under it, whatever else has the name here. */
function isThere(called: string, entries: Entries, { capabilities: { shelf } }: CapabilitiesDeps): boolean {
  if (!entries.has(called)) return shelf.find(called) !== undefined
  const entry = entries.get(called)
  return entry?.verdict === 'new' || (entry?.verdict === 'known' && shelf.find(called)?.name === entry.as)
}

/** What calls others may have another structure elsewhere, as they have other ids: of that nobody can say. */
function isChanged(filed: FiledCapability, program: Program, structure: string): boolean {
  return namesOf(program, 'capability').length === 0 && filed.structure !== structure
}

function notesOf(program: Program, wasChanged: boolean): readonly string[] {
  return [
    ...(wasChanged ? ['Its code is not the one that was exported: it was changed.'] : []),
    ...(program.isOpen ? ['What it calls cannot all be seen in its code: only a run will say.'] : []),
  ]
}

/** Somebody else may have been faster with the name. */
async function take(
  { name, description, intents = [], code, inputSchema }: FiledCapability,
  judged: ImportedCapability,
  { capabilities, redact }: CapabilitiesDeps,
): Promise<ImportedCapability> {
  try {
    await capabilities.create({
      ...{ code, name, intents, description: redact(description) },
      arguments: examplesOfSchema(inputSchema),
      origin: 'imported',
    })
    return judged
  } catch (error) {
    if (!(error instanceof PmlError)) throw error
    return { ...judged, verdict: 'refused', why: error.message }
  }
}

function readable(code: string): Program | PmlError {
  try {
    return readProgram(code)
  } catch (error) {
    if (error instanceof PmlError) return error
    throw error
  }
}

function namesOf({ calls }: Program, kind: 'tool' | 'capability'): readonly string[] {
  const names = calls.flatMap((call) => (call.kind === kind && call.name !== undefined ? [call.name] : []))
  return [...new Set(names)]
}

function worstOf(program: Program, entries: Entries, deps: CapabilitiesDeps): Risk {
  const called = namesOf(program, 'capability').map((name): Risk => {
    const known = deps.capabilities.shelf.find(name)
    const here = known === undefined ? 'moderate' : deps.capabilities.risk(known.id).risk
    return entries.get(name)?.risk ?? here
  })
  const risks = namesOf(program, 'tool').map((name): Risk => {
    const tool = findTool(name, deps)
    return tool === undefined ? 'moderate' : deps.risk.describe(tool).risk
  })
  const computed: readonly Risk[] = program.calls.some(({ name }) => name === undefined) ? ['moderate'] : []
  return [...called, ...risks, ...computed].reduce<Risk>(
    (worst, risk) => (rankRisk(risk) > rankRisk(worst) ? risk : worst),
    'safe',
  )
}
