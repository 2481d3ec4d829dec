/**
 * The procedures of this gateway: learned from what ran, kept in the store, called by name, found like tools. Promises: what is told here is
 * in the store; one entry for each structure, however many gateways learn it; nothing that was learned makes a call by itself. Never
 * runs anything: `execute/` does.
 */
import { setImmediate } from 'node:timers/promises'
import { bornCapability } from '../capabilities/born-capability.js'
import { type CapabilityShelf, mostIntents } from '../capabilities/capability-shelf.js'
import { createCapabilityShelf } from '../capabilities/create-capability-shelf.js'
import { type DiscoveredCapability, discoverCapabilities } from '../capabilities/discover-capabilities.js'
import { findAlternatives } from '../capabilities/find-alternatives.js'
import { learnDependencies } from '../capabilities/learn-dependencies.js'
import { liftProgram } from '../capabilities/program/lift-program.js'
import type { LiftedProgram } from '../capabilities/program/program.js'
import { readProgram } from '../capabilities/program/read-program.js'
import { reachOf } from '../capabilities/reach-of.js'
import { type CapabilityRisk, riskOfCapability } from '../capabilities/risk-of-capability.js'
import { toolOfCapability } from '../capabilities/tool-of-capability.js'
import { CapabilityNotFoundError, PmlError, StoreError } from '../errors.js'
import { type ClusterAnalysis, createClusterAnalysis } from '../graph/create-cluster-analysis.js'
import { inferSchema } from '../learn/infer-schema.js'
import {
  asCapabilities,
  readProcedures,
  type ShownProcedure,
  type UsedCapability,
} from '../learn/read-procedures.js'
import type { Capability, CapabilityDependency, CapabilityId, CapabilityUse } from '../model/capability.js'
import { capabilityServer, isCapabilityId } from '../model/capability.js'
import { closestNames } from '../model/closest-name.js'
import { canonicalJson, type JsonObject } from '../model/json.js'
import type { Log } from '../model/log.js'
import type { Plan } from '../model/plan.js'
import { isRedacted, type Redact } from '../model/redact.js'
import type { Risk } from '../model/risk.js'
import type { Run } from '../model/run.js'
import { formatToolId, parseToolId, type Tool, type ToolId } from '../model/tool.js'
import { withinMs } from '../model/within-ms.js'
import type { Store } from '../store/store.js'
import { capabilityGraph } from './capability-graph.js'

export interface OpenCapabilitiesOptions {
  store(): Promise<Store>
  /** Whether programs that worked are kept. */
  isLearning(): boolean
  /** What code means by a tool's name; undefined where nothing is called so. */
  tool(name: string): Tool | undefined
  riskOf(tool: ToolId): Risk
  /** How a tool has done so far. */
  toolSuccess(tool: ToolId): { readonly successes: number; readonly count: number } | undefined
  /** Of two requests, in [-1, 1]. */
  likeness(a: string, b: string): Promise<number>
  onChange(): void
  now(): number
  readonly redact: Redact
  readonly log: Log
}

export interface OpenCapabilities {
  readonly shelf: CapabilityShelf
  load(store: Store): Promise<void>
  /** Waits, within bounds, until what was learned before is known. */
  loaded(): Promise<void>
  /** A capability by whatever it is called. @throws CapabilityNotFoundError */
  find(name: string): Capability
  /** The same as a tool: what is hidden can be called all the same. Undefined: there is none. */
  toolOf(name: string): Tool | undefined
  /** In TypeScript. @throws CapabilityNotFoundError */
  codeOf(id: ToolId): string
  /** Parameters that are required and were not given; of what is no capability: none. */
  missing(id: ToolId, args: JsonObject): readonly string[]
  risk(id: CapabilityId): CapabilityRisk
  /** Those that fit what was used so far, best first. */
  discover(context: readonly ToolId[]): readonly DiscoveredCapability[]
  /** What belongs together, as it was last worked out. */
  clusters(): ClusterAnalysis
  /** Tools that it comes to call; `isWhole`: these are all, what it needs is there, and it is not foreign code that has never run. */
  reach(id: CapabilityId): { readonly tools: ReadonlySet<ToolId>; readonly isWhole: boolean }
  /**
   * Takes in a run that has ended, and gives it as what it turned out to be: code that is a capability is a call of it. Never
   * rejects.
   */
  take(plan: Plan, run: Run): Promise<{ readonly plan: Plan; readonly run: Run }>
  /** By hand. @throws PmlError */
  create(written: WrittenCapability): Promise<Capability>
  /** @throws PmlError */
  rename(
    name: string,
    changes: { readonly name?: string; readonly description?: string },
  ): Promise<Capability>
  /** @throws PmlError */
  merge(kept: string, gone: string): Promise<Capability>
  /** @throws PmlError */
  forget(name: string): Promise<Capability>
  /** Said by a person. @throws PmlError */
  addDependency(from: string, to: string, type: CapabilityDependency['type']): Promise<CapabilityDependency>
  /** @throws PmlError */
  removeDependency(from: string, to: string, type: CapabilityDependency['type']): Promise<void>
  close(): Promise<void>
}

export interface WrittenCapability {
  readonly code: string
  readonly name?: string
  readonly description?: string
  readonly intent?: string
  /** Instead of the one: newest first. */
  readonly intents?: readonly string[]
  /** As it might be given: of what types its parameters are. */
  readonly arguments?: JsonObject
  /** What is brought from elsewhere may call tools by their ids that are not here yet. */
  readonly origin: 'manual' | 'imported'
}

/** A run changes several things at once, and nobody waits for the analysis. */
const analyseAfterMs = 2_000
const mostDiscovered = 8
/** The newest: whose intents are compared with those of a new one. */
const mostCompared = 300
const loadWithinMs = 5_000
const identifier = /^[A-Za-z_$][\w$]{0,63}$/

export function openCapabilities(options: OpenCapabilitiesOptions): OpenCapabilities {
  const { now, redact, log } = options
  const shelf = createCapabilityShelf({ now, toolSuccess: options.toolSuccess })
  const changed = (): void => options.onChange()
  /** The same tool for as long as the capability is the same: others keep things by it. */
  const tools = new WeakMap<Capability, Tool>()
  const analysis = createClusterAnalysis({
    revision: () => (shelf.all().length === 0 ? 0 : shelf.revision),
    graph: () => capabilityGraph(shelf),
    log,
    debounceMs: analyseAfterMs,
  })

  const find = (name: string): Capability => {
    const found = shelf.find(name)
    if (found === undefined)
      throw new CapabilityNotFoundError(name.slice(0, 200), closestNames(name, [...shelf.names()], 3))
    return found
  }
  const resolve = (kind: 'tool' | 'capability', name: string): ToolId | undefined =>
    kind === 'capability' ? shelf.find(name)?.id : (options.tool(name)?.id ?? undefined)

  /** Kept once; an outcome of a structure that is known is a use of it. */
  const takeCode = async (
    shown: ShownProcedure,
    intent: string | undefined,
    store: Store,
  ): Promise<Capability | undefined> => {
    const known = shelf.ofStructure(shown.lifted.structure)
    if (known !== undefined) {
      await noteUse(known.id, shown.use, intent, shown.value, store)
      return shelf.get(known.id)
    }
    if (!options.isLearning() || !shown.use.success || !shown.isWorthKeeping) return undefined
    if (holdsSecret(shown.lifted, redact)) return undefined
    const { lifted, tools, calls, use, value } = shown
    const { kept, isNew } = await add(store, () =>
      bornCapability({
        ...{ lifted, tools, calls, use, now: now(), taken: takenNames(shelf) },
        ...(intent !== undefined && { intent }),
        ...(value !== undefined && { outputSchema: inferSchema(value) }),
      }),
    )
    if (!isNew) await noteUse(kept.id, use, intent, value, store)
    await learnAlternatives(kept.id, store)
    return shelf.get(kept.id)
  }

  /** Another gateway may have learned one of the name meanwhile: what it learned is read, and another name is made. */
  const add = async (
    store: Store,
    make: () => Capability,
  ): Promise<{ readonly kept: Capability; readonly isNew: boolean }> => {
    const attempt = async () => {
      const born = make()
      const kept = await store.addCapability(born)
      shelf.put(kept)
      return { kept, isNew: kept === born }
    }
    try {
      return await attempt()
    } catch (error) {
      if (!(error instanceof StoreError)) throw error
      await read(store)
      return attempt()
    }
  }
  const read = async (store: Store): Promise<void> => {
    shelf.load(await store.loadCapabilities(), await store.loadCapabilityDependencies())
    changed()
  }

  const noteUse = async (
    id: CapabilityId,
    use: CapabilityUse,
    intent: string | undefined,
    value: UsedCapability['value'],
    store: Store,
  ): Promise<void> => {
    const before = shelf.get(id)?.outputSchema
    const shape = value === undefined ? undefined : inferSchema(value)
    const isNew =
      shape !== undefined && (before === undefined || canonicalJson(before) !== canonicalJson(shape))
    const noted = {
      ...use,
      ...(intent !== undefined && { intent }),
      // Of a shape that changes from use to use nobody could count on more than the first has shown.
      ...(isNew && before === undefined && { outputSchema: shape }),
    }
    if (!(await store.noteCapabilityUse(id, noted))) return
    shelf.noteUse(id, noted)
  }

  const learnAlternatives = async (id: CapabilityId, store: Store): Promise<void> => {
    const alike = await likenesses(id)
    const found = findAlternatives(id, {
      shelf,
      likeness: (a, b) => alike.get(`${a}\n${b}`) ?? 0,
      now: now(),
    })
    await addDependencies(found, store)
  }
  const likenesses = async (id: CapabilityId): Promise<ReadonlyMap<string, number>> => {
    const alike = new Map<string, number>()
    const own = shelf.get(id)?.intents ?? []
    for (const other of shelf.all().slice(-mostCompared))
      for (const a of other.id === id ? [] : own.slice(0, 3))
        for (const b of other.intents.slice(0, 3)) {
          const value = await options.likeness(a, b)
          alike.set(`${a}\n${b}`, value)
          alike.set(`${b}\n${a}`, value)
        }
    return alike
  }

  const addDependencies = async (added: readonly CapabilityDependency[], store: Store): Promise<void> => {
    if (added.length === 0) return
    const refused = new Set(shelf.addDependencies(added))
    const taken = added.filter((one) => !refused.has(one))
    if (taken.length > 0) await store.saveCapabilityDependencies(taken)
  }

  /** Read once: the code of a capability never changes. */
  const isOpen = new Map<CapabilityId, boolean>()
  const isOpenItself = (id: CapabilityId): boolean => {
    const known = isOpen.get(id)
    if (known !== undefined) return known
    let found = true
    try {
      found = readProgram(shelf.get(id)?.code ?? '').isOpen
    } catch {
      // What cannot be read any more may do anything.
    }
    isOpen.set(id, found)
    return found
  }
  const mayCallUnseen = (id: CapabilityId): boolean =>
    [id, ...reachOf(id, shelf).capabilities].some(isOpenItself)

  /** Two runs of one new procedure that end together are two uses of it. */
  let last: Promise<unknown> = Promise.resolve()
  const inTurn = <Value>(work: () => Promise<Value>): Promise<Value> => {
    const done = last.then(work)
    last = done.catch(() => {})
    return done
  }
  const take = async (plan: Plan, run: Run): Promise<{ readonly plan: Plan; readonly run: Run }> => {
    const { code, uses } = readProcedures(plan, run, { resolve })
    if (code.length === 0 && uses.length === 0) return { plan, run }
    const store = await options.store()
    const intent = plan.intent === undefined ? undefined : redact(plan.intent)
    const known = new Map<string, { readonly id: CapabilityId; readonly arguments: JsonObject }>()
    for (const shown of code) {
      const capability = await takeCode(shown, code.length === 1 ? intent : undefined, store)
      if (capability !== undefined) known.set(shown.task, { id: capability.id, arguments: shown.arguments })
    }
    for (const { id, use, value, isWhole } of uses)
      if (shelf.get(id) !== undefined) await noteUse(id, use, isWhole ? intent : undefined, value, store)
    const as = asCapabilities(plan, run, known)
    await addDependencies(learnDependencies(nestedCalls(as.run), now()), store)
    changed()
    return as
  }

  const readWritten = ({
    code,
    arguments: given = {},
    origin,
  }: WrittenCapability): { lifted: LiftedProgram; tools: ToolId[]; calls: CapabilityId[] } => {
    const program = readProgram(code)
    const named = program.calls.flatMap(({ kind, name, line }) => {
      if (name === undefined) return []
      const id = resolve(kind, name) ?? (origin === 'imported' ? strangerId(kind, name) : undefined)
      if (id === undefined) throw new PmlError('CODE_CHECK', `line ${line}: No ${kind} "${name}".`, '')
      return [id]
    })
    const all = [...new Set(named)]
    return {
      lifted: liftProgram(program, { arguments: given, nameOf: (kind, name) => resolve(kind, name) ?? name }),
      tools: all.filter((id) => !isCapabilityId(id)),
      calls: all.filter(isCapabilityId),
    }
  }

  const edge = (from: string, to: string, type: CapabilityDependency['type']): CapabilityDependency => ({
    ...{ from: find(from).id, to: find(to).id, type },
    ...{ count: 1, successes: 1, lastSeen: now(), isManual: true },
  })

  return {
    shelf,
    load: read,
    async loaded() {
      await withinMs(options.store(), loadWithinMs, undefined).catch(() => {})
    },
    find,
    toolOf(name) {
      const found = shelf.find(name)
      if (found === undefined) return undefined
      const known = tools.get(found)
      if (known !== undefined) return known
      const tool = toolOfCapability(found)
      tools.set(found, tool)
      return tool
    },
    codeOf: (id) => find(id).code,
    missing(id, args) {
      const { required } = shelf.find(id)?.inputSchema ?? {}
      return Array.isArray(required)
        ? required.filter((name) => typeof name === 'string' && args[name] === undefined).map(String)
        : []
    },
    risk: (id) => riskOfCapability(id, { riskOf: options.riskOf, shelf, isOpen: mayCallUnseen(id) }),
    discover: (context) =>
      discoverCapabilities(context, {
        shelf,
        most: mostDiscovered,
        clusters: () => ({ of: analysis.current().clusters }),
        rank: (id) => analysis.current().rank.get(id) ?? 0,
      }),
    clusters: () => analysis.current(),
    close: () => analysis.close(),
    reach(id) {
      const { tools, gone } = reachOf(id, shelf)
      const capability = shelf.get(id)
      const isTried = capability !== undefined && (capability.origin !== 'imported' || capability.uses > 0)
      return { tools, isWhole: gone.size === 0 && isTried && !mayCallUnseen(id) }
    },
    take: (plan, run) =>
      inTurn(async () => {
        // To read and lift code takes milliseconds: after the answer.
        await setImmediate()
        return take(plan, run)
      }).catch((error: unknown) => {
        log.warn('What a run showed of procedures was not kept.', { run: run.id, error: String(error) })
        return { plan, run }
      }),
    async create(written) {
      const { name, description, origin } = written
      const intents = (written.intents ?? [written.intent ?? '']).filter(Boolean).map(redact)
      if (name !== undefined) checkName(name, shelf)
      const { lifted, tools, calls } = readWritten(written)
      if (holdsSecret(lifted, redact))
        throw new PmlError(
          'SECRET_IN_CODE',
          'The code holds a secret of the configuration.',
          'Give it as an argument: read it from args.',
        )
      const store = await options.store()
      const { kept } = await add(store, () => ({
        ...bornCapability({
          ...{ lifted, tools, calls, origin, now: now(), taken: takenNames(shelf) },
          ...(name !== undefined && { name }),
          ...(description !== undefined && { description }),
          ...(intents[0] !== undefined && { intent: intents[0] }),
        }),
        intents: intents.slice(0, mostIntents),
      }))
      changed()
      return kept
    },
    async rename(which, changes) {
      const { id, name } = find(which)
      if (changes.name !== undefined && changes.name !== name) checkName(changes.name, shelf, id)
      if (!(await (await options.store()).renameCapability(id, changes)))
        throw new PmlError('NAME_TAKEN', `The name "${changes.name}" is taken.`, 'Choose another one.')
      shelf.put({ ...shelf.get(id)!, ...changes })
      changed()
      return shelf.get(id)!
    },
    async merge(kept, gone) {
      const [one, other] = [find(kept), find(gone)]
      if (one.id === other.id) throw new PmlError('SAME_CAPABILITY', 'These are one already.', '')
      const callers = shelf.all().filter(({ calls }) => calls.includes(other.id))
      if (callers.length > 0)
        throw new PmlError(
          'STILL_CALLED',
          `The code of ${callers.map(({ name }) => name).join(', ')} calls ${other.name}.`,
          'Forget or replace these first: code is not rewritten.',
        )
      await (await options.store()).mergeCapabilities(one.id, other.id)
      shelf.merge(one.id, other.id)
      changed()
      return shelf.get(one.id)!
    },
    async forget(which) {
      const capability = find(which)
      await (await options.store()).forgetCapability(capability.id)
      shelf.remove(capability.id)
      changed()
      return capability
    },
    async addDependency(from, to, type) {
      const added = edge(from, to, type)
      const [refused] = shelf.addDependencies([added])
      if (refused !== undefined)
        throw new PmlError(
          'CYCLE',
          'It would close a circle.',
          'See pml capabilities show for what is there.',
        )
      await (await options.store()).saveCapabilityDependencies([added])
      changed()
      return added
    },
    async removeDependency(from, to, type) {
      const key = edge(from, to, type)
      await (await options.store()).removeCapabilityDependency(key)
      shelf.removeDependency(key)
      changed()
    },
  }
}

/** A tool of a server that may come. */
function strangerId(kind: 'tool' | 'capability', name: string): ToolId | undefined {
  const id = kind === 'tool' ? parseToolId(name) : undefined
  return id === undefined || id.server === capabilityServer ? undefined : formatToolId(id.server, id.tool)
}

/** `own`: of the one that is to have it, which may have had it before. */
function checkName(name: string, shelf: CapabilityShelf, own?: CapabilityId): void {
  if (!identifier.test(name))
    throw new PmlError(
      'BAD_NAME',
      `"${name.slice(0, 80)}" is no name that code could call.`,
      'Letters, digits and _, at most 64, not beginning with a digit.',
    )
  // A name that was given up may still stand in the code of others.
  const known = shelf.find(name)
  if (known !== undefined && known.id !== own)
    throw new PmlError('NAME_TAKEN', `The name "${name}" is taken.`, 'Choose another one.')
}

/** Also those that capabilities had before they were renamed: code may still call them so. */
function takenNames(shelf: CapabilityShelf): ReadonlySet<string> {
  const born = shelf.all().map(({ id }) =>
    parseToolId(id)!
      .tool.replace(/-[^-]*$/, '')
      .replaceAll('-', '_'),
  )
  return new Set([...shelf.names(), ...born])
}

/** Literals are lifted, so what is left of a secret stands in a default, or is part of the code. */
function holdsSecret({ code, inputSchema }: LiftedProgram, redact: Redact): boolean {
  const text = code + JSON.stringify(inputSchema)
  return redact(text) !== text || isRedacted(text)
}

function nestedCalls({ tasks }: Run): Parameters<typeof learnDependencies>[0] {
  return tasks.flatMap(({ id, parent, tool, status, startedAt, ms }) =>
    startedAt === undefined
      ? []
      : [
          {
            ...{ id, tool, startedAt, endedAt: startedAt + (ms ?? 0), success: status === 'complete' },
            ...(parent !== undefined && { parent }),
          },
        ],
  )
}
