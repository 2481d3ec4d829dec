import { alternativesOf } from '../capabilities/alternatives-of.js'
import type { Benefit } from '../capabilities/judge-benefit.js'
import { metaCapabilities } from '../capabilities/meta-capabilities.js'
import { checkProgram } from '../capabilities/program/check-program.js'
import { describeProgram } from '../capabilities/program/describe-program.js'
import { liftProgram } from '../capabilities/program/lift-program.js'
import type { Program, ProgramCall } from '../capabilities/program/program.js'
import { type ProgramTask, programTasks } from '../capabilities/program/program-tasks.js'
import { readProgram } from '../capabilities/program/read-program.js'
import { successRate } from '../capabilities/reliability-of.js'
import { toolOfCapability } from '../capabilities/tool-of-capability.js'
import { PmlError, UsageError } from '../errors.js'
import type { Capability, CapabilityDependency, CapabilityId, CapabilityUse } from '../model/capability.js'
import { isCapabilityId } from '../model/capability.js'
import { closestNames } from '../model/closest-name.js'
import { isObject, type JsonObject } from '../model/json.js'
import type { Plan } from '../model/plan.js'
import { type Redact, redactJson } from '../model/redact.js'
import type { Risk } from '../model/risk.js'
import type { Tool, ToolId } from '../model/tool.js'
import { layerTasks } from '../plan/layer-tasks.js'
import type { SchemaChecks } from '../upstream/schema-checks.js'
import { createArgumentCheck } from '../upstream/validate-arguments.js'
import { readCode, readLine } from './capability-texts.js'
import type { CatalogueView } from './catalogue-view.js'
import type { OpenCapabilities } from './open-capabilities.js'
import { exampleArguments } from './parameter-examples.js'
import type { RiskRegistry } from './risk-registry.js'
import { planOf } from './tools/run-capability.js'

/*
 * NAME is whatever a capability can be called by, percent-encoded. capability-transfer-api.ts has export and import.
 *
 * GET  /api/capabilities?all=true                             CapabilityList; without all, those that are hidden are only counted
 * GET  /api/capabilities/NAME                                 CapabilityReport
 * POST /api/capabilities {code, name?, description?, intent?} {capability: CapabilityReport, isNew}; by hand
 * POST /api/capabilities/NAME/rename {name?, description?}    CapabilityReport
 * POST /api/capabilities/NAME/merge  {gone}                   CapabilityReport of what is left
 * POST /api/capabilities/NAME/forget {}                       {forgotten: NamedCapability, neededBy: NamedCapability[]}
 * GET  /api/capability-dependencies?of=NAME                   {dependencies: DependencyListing[]}
 * POST /api/capability-dependencies {from, to, type?}         DependencyListing; `dependency` unless said
 * POST /api/capability-dependencies/remove {from, to, type?}  {removed: {from, to, type}}
 *
 * POST /api/run {capability, arguments?, follow?} runs one (api.ts).
 */
export interface CapabilitiesDeps {
  readonly capabilities: OpenCapabilities
  /** What was kept is there once the store is open. */
  readonly memory: { store(): Promise<unknown> }
  readonly view: Pick<CatalogueView, 'current' | 'firstSettled'>
  readonly risk: Pick<RiskRegistry, 'describe'>
  readonly checks: SchemaChecks
  readonly redact: Redact
}

export interface NamedCapability {
  readonly id: ToolId
  /** Absent: it is gone. */
  readonly name?: string
}

export interface CapabilityListing {
  readonly id: CapabilityId
  readonly name: string
  readonly description: string
  readonly origin: Capability['origin']
  readonly uses: number
  readonly successes: number
  /** Of the successes; absent: there was none. */
  readonly meanMs?: number
  /** Absent: never. */
  readonly lastUsedAt?: number
  readonly risk: Risk
  readonly riskWhy: string
  /** Called by its own code. */
  readonly tools: readonly ToolId[]
  readonly calls: readonly NamedCapability[]
  readonly isHidden: boolean
  /** Whether it helps, in one line. */
  readonly why: string
}

/** Capabilities that belong together. */
export interface CapabilityGroup {
  readonly id: string
  readonly kind: 'contains' | 'together'
  readonly name: string
  readonly members: readonly NamedCapability[]
  readonly count: number
}

export interface CapabilityList {
  readonly capabilities: readonly CapabilityListing[]
  /** How many are left out because they are hidden. */
  readonly hidden: number
  readonly groups: readonly CapabilityGroup[]
}

export interface CapabilityReport extends CapabilityListing {
  readonly intents: readonly string[]
  readonly code: string
  readonly structure: string
  readonly inputSchema: JsonObject
  readonly outputSchema?: JsonObject
  /** What it does, step by step, in words. */
  readonly steps: string
  /** The same as a DAG; `layers` are ids of tasks, first to last. */
  readonly tasks: readonly ProgramTask[]
  readonly layers: readonly (readonly string[])[]
  /** Everything that it comes to call, also through others. */
  readonly toolRisks: readonly CalledTool[]
  readonly needs: readonly NamedCapability[]
  readonly neededBy: readonly NamedCapability[]
  readonly alternatives: readonly (NamedCapability & { readonly rate: number })[]
  readonly reliability: {
    /** Its own: (successes + 1) / (uses + 2). */
    readonly rate: number
    /** Of the weakest of what it needs; 1 where nothing is known against any. */
    readonly transitive: number
    readonly weakest?: NamedCapability
  }
  readonly benefit: Benefit
  /** Newest first. */
  readonly recent: readonly CapabilityUse[]
  readonly dependencies: readonly DependencyListing[]
  readonly createdAt: number
}

export interface CalledTool {
  readonly tool: ToolId
  readonly risk: Risk
  readonly why: string
  /** False: through another capability. */
  readonly isOwn: boolean
  readonly isThere: boolean
}

export interface DependencyListing extends Omit<CapabilityDependency, 'from' | 'to'> {
  readonly from: NamedCapability
  readonly to: NamedCapability
}

export const dependencyTypes: readonly CapabilityDependency['type'][] = [
  'dependency',
  'contains',
  'sequence',
  'alternative',
]

/** Newest use first, then the newest. */
export async function listCapabilities(
  query: URLSearchParams,
  deps: CapabilitiesDeps,
): Promise<CapabilityList> {
  const { shelf, clusters } = await loaded(deps)
  const isAll = query.get('all') === 'true'
  const all = shelf.all().map((one) => listingOf(one, deps))
  const capabilities = all
    .filter(({ isHidden }) => isAll || !isHidden)
    .sort((a, b) => (b.lastUsedAt ?? 0) - (a.lastUsedAt ?? 0) || b.uses - a.uses)
  const groups = metaCapabilities(shelf, { of: clusters().clusters }).map((group) => ({
    ...group,
    members: group.members.map((id) => named(id, deps)),
  }))
  return redactJson({ capabilities, hidden: all.length - capabilities.length, groups }, deps.redact)
}

/** @throws CapabilityNotFoundError */
export async function showCapability(name: string, deps: CapabilitiesDeps): Promise<CapabilityReport> {
  const { find } = await loaded(deps)
  // What its tools may do is said by their servers.
  await deps.view.firstSettled()
  return redactJson(reportOf(find(name), deps), deps.redact)
}

/** @throws UsageError, CodeSyntaxError, PmlError */
export async function createCapability(
  body: JsonObject,
  deps: CapabilitiesDeps,
): Promise<{ readonly capability: CapabilityReport; readonly isNew: boolean }> {
  const capabilities = await loaded(deps)
  await deps.view.firstSettled()
  const code = readCode(body.code, '"code"')
  const name = optionalText(body, 'name')
  const description = optionalLine(body, 'description', deps)
  const intent = optionalLine(body, 'intent', deps)
  const program = readProgram(code)
  refuseProblems(program, deps)
  const args = exampleArguments(program, (name, kind) => schemaOf(name, kind, deps))
  const { structure } = liftProgram(program, {
    arguments: args,
    nameOf: (kind, name) => idOf(kind, name, deps),
  })
  const known = capabilities.shelf.ofStructure(structure)
  const capability =
    known ??
    (await capabilities.create({
      ...{ code, arguments: args, origin: 'manual' as const },
      ...(name !== undefined && { name }),
      ...(description !== undefined && { description }),
      ...(intent !== undefined && { intent }),
    }))
  return {
    capability: redactJson(reportOf(capability, deps), deps.redact),
    isNew: known === undefined,
  }
}

/** @throws UsageError, PmlError */
export async function renameCapability(
  which: string,
  body: JsonObject,
  deps: CapabilitiesDeps,
): Promise<CapabilityReport> {
  const { rename } = await loaded(deps)
  const name = optionalText(body, 'name')
  const description = optionalLine(body, 'description', deps)
  if (name === undefined && description === undefined)
    throw new UsageError('Neither "name" nor "description" was given.')
  const renamed = await rename(which, {
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
  })
  return redactJson(reportOf(renamed, deps), deps.redact)
}

/** @throws CapabilityNotFoundError, PmlError where the code of others calls what would go */
export async function mergeCapabilities(
  kept: string,
  body: JsonObject,
  deps: CapabilitiesDeps,
): Promise<CapabilityReport> {
  const capabilities = await loaded(deps)
  const gone = capabilities.find(requiredText(body, 'gone'))
  const callers = capabilities.shelf.all().filter(({ calls }) => calls.includes(gone.id))
  if (callers.length > 0)
    throw new PmlError(
      'STILL_CALLED',
      `${gone.name} is called by the code of ${callers.map(({ name }) => name).join(', ')}, which would call nothing then.`,
      `Merge the other way round: pml capabilities merge ${gone.name} ${kept}`,
    )
  const left = await capabilities.merge(kept, gone.id)
  return redactJson(reportOf(left, deps), deps.redact)
}

/** What others need goes all the same: they are told. @throws CapabilityNotFoundError */
export async function forgetCapability(
  name: string,
  deps: CapabilitiesDeps,
): Promise<{ readonly forgotten: NamedCapability; readonly neededBy: readonly NamedCapability[] }> {
  const capabilities = await loaded(deps)
  const { id } = capabilities.find(name)
  const neededBy = capabilities.shelf.neededBy(id).map((one) => named(one, deps))
  const forgotten = await capabilities.forget(id)
  return redactJson({ forgotten: { id, name: forgotten.name }, neededBy }, deps.redact)
}

/** @throws CapabilityNotFoundError */
export async function listDependencies(
  query: URLSearchParams,
  deps: CapabilitiesDeps,
): Promise<{ readonly dependencies: readonly DependencyListing[] }> {
  const { shelf, find } = await loaded(deps)
  const of = query.get('of')
  const found = of === null || of === '' ? shelf.dependencies() : shelf.dependenciesOf(find(of).id)
  return redactJson({ dependencies: found.map((one) => dependencyListing(one, deps)) }, deps.redact)
}

/** @throws UsageError, CapabilityNotFoundError, PmlError where it would close a circle */
export async function addDependency(body: JsonObject, deps: CapabilitiesDeps): Promise<DependencyListing> {
  const capabilities = await loaded(deps)
  const { from, to, type } = readDependency(body, capabilities)
  await capabilities.addDependency(from.id, to.id, type)
  const added = findDependency(from, to, type, capabilities)!
  return redactJson(dependencyListing(added, deps), deps.redact)
}

/** @throws UsageError, CapabilityNotFoundError */
export async function removeDependency(
  body: JsonObject,
  deps: CapabilitiesDeps,
): Promise<{ readonly removed: Pick<DependencyListing, 'from' | 'to' | 'type'> }> {
  const capabilities = await loaded(deps)
  const { from, to, type } = readDependency(body, capabilities)
  if (findDependency(from, to, type, capabilities) === undefined)
    throw new UsageError(
      `Nothing is known of ${from.name} and ${to.name} of type ${type}.`,
      `See what is: pml capabilities depend ${from.name}`,
    )
  await capabilities.removeDependency(from.id, to.id, type)
  return redactJson({ removed: { from: named(from.id, deps), to: named(to.id, deps), type } }, deps.redact)
}

/** The run of one, with arguments that fit, also of one that is hidden. @throws CapabilityNotFoundError, BadArgumentsError */
export async function planCapability(body: JsonObject, deps: CapabilitiesDeps): Promise<Plan> {
  const { find } = await loaded(deps)
  const tool = toolOfCapability(find(requiredText(body, 'capability')))
  const args = body.arguments ?? {}
  if (!isObject(args)) throw new UsageError('"arguments" must be an object.')
  await createArgumentCheck(deps.checks)(tool, args)
  // Of a first start, the tools that its code calls are on their way.
  await deps.view.firstSettled()
  return planOf(tool, args)
}

/** With what was kept: a command may have opened the gateway a moment ago. */
export async function loaded({
  capabilities,
  memory,
}: Pick<CapabilitiesDeps, 'capabilities' | 'memory'>): Promise<OpenCapabilities> {
  await memory.store()
  return capabilities
}

/** Of a tool or capability by the name that code has for it; that name where there is none. */
export function idOf(kind: ProgramCall['kind'], name: string, deps: CapabilitiesDeps): string {
  const known = kind === 'tool' ? findTool(name, deps) : deps.capabilities.shelf.find(name)
  return known?.id ?? name
}

/** Also one that is quarantined. */
export function findTool(id: string, { view }: Pick<CapabilitiesDeps, 'view'>): Tool | undefined {
  const { names, tools } = view.current()
  return names.resolve(id) ?? tools.find((tool) => tool.id === id)
}

/** What can be seen without running it. */
function refuseProblems(program: Program, deps: CapabilitiesDeps): void {
  const { shelf } = deps.capabilities
  const problems = checkProgram(program, {
    inputSchemaOf: (name, kind) => schemaOf(name, kind, deps),
    isKnown: (name, kind) => schemaOf(name, kind, deps) !== undefined,
    closest: (name, kind) =>
      kind === 'tool'
        ? deps.view.current().names.closest(name, 3)
        : closestNames(name, [...shelf.names()], 3),
  })
  if (problems.length === 0) return
  const lines = problems.slice(0, mostProblems).map(({ line, message }) => `line ${line}: ${message}`)
  const more = problems.length - lines.length
  throw new PmlError(
    'CODE_CHECK',
    `The code would not work: ${lines.join(' ')}${more > 0 ? ` And ${more} more.` : ''}`,
    'Correct it. Tools are listed with: pml tools',
  )
}

const mostProblems = 10

/** By the name as code has it. */
function schemaOf(name: string, kind: ProgramCall['kind'], deps: CapabilitiesDeps): JsonObject | undefined {
  return kind === 'tool'
    ? findTool(name, deps)?.definition.inputSchema
    : deps.capabilities.shelf.find(name)?.inputSchema
}

function listingOf(capability: Capability, deps: CapabilitiesDeps): CapabilityListing {
  const { id, name, description, origin, uses, successes, meanMs, lastUsedAt, tools, calls } = capability
  const { risk, why: riskWhy } = deps.capabilities.risk(id)
  const { isHidden, why } = deps.capabilities.shelf.benefit(id)!
  return {
    ...{ id, name, description, origin, uses, successes },
    ...(successes > 0 && { meanMs }),
    ...(uses > 0 && { lastUsedAt }),
    ...{ risk, riskWhy, tools, calls: calls.map((one) => named(one, deps)), isHidden, why },
  }
}

function reportOf(capability: Capability, deps: CapabilitiesDeps): CapabilityReport {
  const { shelf } = deps.capabilities
  const { id, intents, code, structure, inputSchema, outputSchema, uses, successes, recent, createdAt } =
    capability
  const program = readProgram(code)
  const { tasks, edges } = programTasks(program)
  const { value, weakest } = shelf.transitive(id)
  return {
    ...listingOf(capability, deps),
    ...{ intents, code, structure, inputSchema },
    ...(outputSchema !== undefined && { outputSchema }),
    steps: describeProgram(program),
    tasks: withIds(tasks, program, deps),
    layers: layerTasks(
      tasks.map((task) => task.id),
      edges,
    ),
    toolRisks: toolRisks(capability, deps),
    needs: shelf.needs(id).map((one) => named(one, deps)),
    neededBy: shelf.neededBy(id).map((one) => named(one, deps)),
    alternatives: alternativesOf(id, 1, shelf).map(({ id: other, rate }) => ({
      ...named(other, deps),
      rate,
    })),
    reliability: {
      rate: successRate(successes, uses),
      transitive: value,
      ...(weakest !== undefined && { weakest: named(weakest, deps) }),
    },
    benefit: shelf.benefit(id)!,
    recent: recent.toReversed(),
    dependencies: shelf.dependenciesOf(id).map((one) => dependencyListing(one, deps)),
    createdAt,
  }
}

/** Code may call a tool by any form of its name. */
function withIds(
  tasks: readonly ProgramTask[],
  { calls }: Program,
  deps: CapabilitiesDeps,
): readonly ProgramTask[] {
  return tasks.map((task, at) => {
    const { kind, name } = calls[at]!
    return name === undefined ? task : { ...task, tool: idOf(kind, name, deps) }
  })
}

function toolRisks({ id, tools }: Capability, deps: CapabilitiesDeps): readonly CalledTool[] {
  return [...deps.capabilities.reach(id).tools].map((tool) => {
    const known = findTool(tool, deps)
    const isOwn = tools.includes(tool)
    if (known === undefined)
      return { tool, risk: 'moderate', why: 'It is not there now.', isOwn, isThere: false }
    const { risk, why } = deps.risk.describe(known)
    return { tool, risk, why, isOwn, isThere: true }
  })
}

function dependencyListing(
  { from, to, ...rest }: CapabilityDependency,
  deps: CapabilitiesDeps,
): DependencyListing {
  return { from: named(from, deps), to: named(to, deps), ...rest }
}

/** A tool has its id for a name. */
function named(id: ToolId, { capabilities }: Pick<CapabilitiesDeps, 'capabilities'>): NamedCapability {
  const name = isCapabilityId(id) ? capabilities.shelf.get(id)?.name : id
  return { id, ...(name !== undefined && { name }) }
}

interface ReadDependency {
  readonly from: Capability
  readonly to: Capability
  readonly type: CapabilityDependency['type']
}

function readDependency(body: JsonObject, { find }: OpenCapabilities): ReadDependency {
  const type = dependencyTypes.find((one) => one === (body.type ?? 'dependency'))
  if (type === undefined)
    throw new UsageError(
      `A type is one of ${dependencyTypes.join(', ')}, not ${JSON.stringify(body.type).slice(0, 80)}.`,
    )
  return { from: find(requiredText(body, 'from')), to: find(requiredText(body, 'to')), type }
}

function findDependency(
  from: Capability,
  to: Capability,
  type: CapabilityDependency['type'],
  { shelf }: OpenCapabilities,
): CapabilityDependency | undefined {
  return shelf
    .dependenciesOf(from.id)
    .find((one) => one.from === from.id && one.to === to.id && one.type === type)
}

function requiredText(body: JsonObject, name: string): string {
  const value = optionalText(body, name)
  if (value === undefined) throw new UsageError(`"${name}" must be a text.`)
  return value
}

function optionalText(body: JsonObject, name: string): string | undefined {
  const value = body[name]
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'string' || value === '') throw new UsageError(`"${name}" must be a text.`)
  return value
}

function optionalLine(body: JsonObject, name: string, { redact }: CapabilitiesDeps): string | undefined {
  const value = body[name]
  return value === undefined || value === null ? undefined : redact(readLine(value, `"${name}"`))
}
