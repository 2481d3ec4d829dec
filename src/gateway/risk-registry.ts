/**
 * What is known of the risk of every tool, and who said so: the words and annotations of the tool, mcp-permissions.yaml, what people set
 * with `pml risk set`, and how they answered before. In memory; what people said is written through, together with its audit. Before the store
 * is open what was said last holds, from a file beside it: a tool that was set dangerous is so from the first call on.
 */

import type { CapabilityRisk } from '../capabilities/risk-of-capability.js'
import { UsageError } from '../errors.js'
import type { Preferences } from '../learn/preferences/create-preferences.js'
import type { Standing } from '../learn/preferences/standing-of.js'
import { type CapabilityId, codeTool, isCapabilityId } from '../model/capability.js'
import type { PmlConfig, ToolRule } from '../model/config.js'
import { diffPermissions } from '../model/diff-permissions.js'
import { findByTool } from '../model/find-by-tool.js'
import { isObject, type Json } from '../model/json.js'
import type { Log } from '../model/log.js'
import { noPermissions, type Permissions } from '../model/permissions.js'
import { rankRisk } from '../model/rank-risk.js'
import { type RatedTool, rateRisk } from '../model/rate-risk.js'
import { type Redact, redactJson } from '../model/redact.js'
import type { Risk } from '../model/risk.js'
import type { PermissionAudit, RiskOverride } from '../model/risk-override.js'
import type { RiskSource } from '../model/risk-source.js'
import { isCallable, type Tool, type ToolId } from '../model/tool.js'
import type { RiskSnapshot } from '../store/risk-snapshot.js'
import { auditedPermissionsState, type Store } from '../store/store.js'
import { isSafeTool, isTrustedServer } from './is-safe-tool.js'

export type RiskStore = Pick<
  Store,
  | 'loadRiskOverrides'
  | 'saveRiskOverride'
  | 'savePermissionAudit'
  | 'listPermissionAudit'
  | 'loadLearnedState'
  | 'saveLearnedState'
>

/** What a capability may do at worst is what it comes to call. */
export interface CapabilityRisks {
  risk(id: CapabilityId): CapabilityRisk
  reach(id: CapabilityId): { readonly tools: ReadonlySet<ToolId>; readonly isWhole: boolean }
  /** Another number after every change of what it would say. */
  revision(): number
}

export interface RiskRegistryDeps {
  config(): Pick<PmlConfig, 'approvals' | 'servers'>
  tools(): readonly Tool[]
  tool(id: ToolId): Tool | undefined
  readonly capabilities: CapabilityRisks
  /** What was kept has been loaded when this resolves. */
  store(): Promise<RiskStore>
  readonly preferences: Preferences
  /** As it was when it was last known, for as long as the store is not open. */
  readonly known: RiskSnapshot
  /** It is to be known to the next process before the store is open. */
  remember(snapshot: RiskSnapshot): Promise<void>
  readonly redact: Redact
  now(): number
  newId(): string
  readonly log: Log
}

/** As much of it as calls are judged by. */
export interface ToolRisk {
  rate(tool: Tool): RatedTool
  standing(tool: ToolId): Standing | undefined
  /** Another number after every change of what it would say. */
  revision(): number
}

export interface RiskRegistry extends ToolRisk {
  load(store: RiskStore): Promise<void>
  /** Another content of mcp-permissions.yaml: counts at once, and is in the audit as soon as the store is open. */
  usePermissions(permissions: Permissions): void
  /**
   * Whether a plan with it may run without being shown: it is safe for certain, or is not dangerous and allowed by the configuration or
   * by people who approved of it again and again.
   */
  mayRunAtOnce(tool: Tool): boolean
  list(): readonly RiskListing[]
  describe(tool: Tool): RiskListing
  /** @throws UsageError where it lowers a risk and gives no reason. */
  set(
    tool: Tool,
    risk: Risk,
    options: { readonly reason: string; readonly by: string },
  ): Promise<RiskOverride>
  /** Of a tool that need not be there any more. @throws UsageError where nobody has set anything. */
  unset(tool: ToolId, by: string): Promise<void>
  /** Of a tool that need not be there any more. @throws UsageError where nobody has answered anything. */
  undo(tool: ToolId, by: string): Promise<void>
  /** Somebody has answered: what that says is to be known to the next process, too. */
  remember(): Promise<void>
  /** Newest first. */
  audit(limit: number): Promise<readonly PermissionAudit[]>
  /** When what people set and answered is known. Rejects where the store cannot be opened. */
  loaded(): Promise<void>
  /** When what was said so far is written. */
  settled(): Promise<void>
}

/** A tool's risk, for a person. */
export interface RiskListing {
  readonly tool: ToolId
  readonly server: string
  readonly risk: Risk
  readonly source: RiskSource
  readonly why: string
  /** Each call is judged by its statement. */
  readonly byStatement: boolean
  readonly mayRunAtOnce: boolean
  /** Of the configuration: stronger than the rest. */
  readonly rule?: { readonly name: string; readonly does: ToolRule }
  readonly override?: Pick<RiskOverride, 'reason' | 'setAt'>
  readonly preference?: {
    readonly approvals: number
    readonly rejections: number
    readonly standing?: Standing
  }
}

/** Code has no power of its own. */
const ratedCode: RatedTool = {
  risk: 'moderate',
  why: 'Each call that it makes is judged by itself.',
  source: 'capability',
  asksInside: true,
}

export function createRiskRegistry(deps: RiskRegistryDeps): RiskRegistry {
  const { preferences, now, newId, log } = deps
  const overrides = new Map<ToolId, RiskOverride>(deps.known.overrides.map((row) => [row.tool, row]))
  const refused = new Set(deps.known.refused)
  let permissions = noPermissions
  let audited: Permissions | undefined
  let isLoaded = false
  let revision = 0
  let last: Promise<unknown> = Promise.resolve()

  const inTurn = <Value>(step: () => Promise<Value>): Promise<Value> => {
    const done = last.then(step)
    last = done.catch(() => {})
    return done
  }
  const rateAs = (tool: Tool, override: RiskOverride | undefined): RatedTool => {
    if (tool.id === codeTool && override === undefined) return ratedCode
    if (!isCapabilityId(tool.id) || override !== undefined)
      return rateRisk(tool, { isTrusted: isTrustedServer(tool.server, deps.config()), override, permissions })
    const { risk, why, isByTool } = deps.capabilities.risk(tool.id)
    return { risk, why, source: 'capability', ...(isByTool && { asksInside: true }) }
  }
  const rate = (tool: Tool): RatedTool => rateAs(tool, overrides.get(tool.id))
  const toAudit = (entry: Omit<PermissionAudit, 'id' | 'at'>): PermissionAudit => ({
    id: newId(),
    at: now(),
    ...entry,
    reason: deps.redact(entry.reason),
  })
  const auditPermissions = async (store: RiskStore): Promise<void> => {
    const after = permissions
    const before = audited ?? toPermissions(await store.loadLearnedState(auditedPermissionsState))
    const changes = diffPermissions(before, after)
    if (changes.length > 0) {
      await store.savePermissionAudit(
        changes.map((change) => toAudit({ ...change, by: 'mcp-permissions.yaml' })),
      )
      await store.saveLearnedState(auditedPermissionsState, redactJson(after as unknown as Json, deps.redact))
    }
    audited = after
  }
  const reportUnaudited = (error: unknown): void =>
    log.warn('a change of mcp-permissions.yaml is not in the audit yet', { error: String(error) })
  const standing = (tool: ToolId): Standing | undefined =>
    preferences.standing(tool) ?? (!isLoaded && refused.has(tool) ? 'refused' : undefined)
  let remembered = ''
  const remember = async (): Promise<void> => {
    const snapshot: RiskSnapshot = {
      overrides: [...overrides.values()],
      refused: preferences
        .list()
        .flatMap(({ tool }) => (preferences.standing(tool) === 'refused' ? [tool] : [])),
    }
    const text = JSON.stringify(snapshot)
    if (!isLoaded || text === remembered) return
    remembered = text
    await deps.remember(snapshot).catch((error: unknown) => {
      remembered = ''
      log.warn('what was said of risks is not known to the next start before its store is open', {
        error: String(error),
      })
    })
  }
  /** A capability may where all that it comes to call may. */
  const mayAllRunAtOnce = (id: CapabilityId): boolean => {
    const { tools, isWhole } = deps.capabilities.reach(id)
    return (
      isWhole &&
      [...tools].every((one) => {
        const tool = deps.tool(one)
        return tool !== undefined && mayRunAtOnce(tool, rate(tool))
      })
    )
  }
  const mayRunAtOnce = (tool: Tool, rated: RatedTool): boolean => {
    if (isCapabilityId(tool.id)) {
      const said = findByTool(deps.config().approvals.tools, tool.id)?.value ?? 'allow'
      if (said !== 'allow' || standing(tool.id) === 'refused') return false
      return rated.risk !== 'dangerous' && mayAllRunAtOnce(tool.id)
    }
    if (isSafeTool(tool, deps.config(), rated)) return true
    if (!isCallable(tool) || rated.risk === 'dangerous' || rated.byStatement !== undefined) return false
    const rule = findByTool(deps.config().approvals.tools, tool.id)
    return rule === undefined ? standing(tool.id) === 'approved' : rule.value === 'allow'
  }
  const describe = (tool: Tool): RiskListing => {
    const rated = rate(tool)
    const rule = findByTool(deps.config().approvals.tools, tool.id)
    const override = overrides.get(tool.id)
    const preference = preferences.of(tool.id)
    const standing = preferences.standing(tool.id)
    return {
      tool: tool.id,
      server: tool.server,
      risk: rated.risk,
      source: rated.source,
      why: rated.why,
      byStatement: rated.byStatement !== undefined,
      mayRunAtOnce: mayRunAtOnce(tool, rated),
      ...(rule && { rule: { name: rule.name, does: rule.value } }),
      ...(override && { override: { reason: override.reason, setAt: override.setAt } }),
      ...(preference &&
        preference.approvals + preference.rejections > 0 && {
          preference: {
            approvals: preference.approvals,
            rejections: preference.rejections,
            ...(standing && { standing }),
          },
        }),
    }
  }

  return {
    rate,
    standing,
    revision: () => revision + preferences.revision() + deps.capabilities.revision(),
    async load(store) {
      const rows = await store.loadRiskOverrides()
      overrides.clear()
      for (const row of rows) overrides.set(row.tool, row)
      revision += 1
      isLoaded = true
      await remember()
      await auditPermissions(store).catch(reportUnaudited)
    },
    usePermissions(next) {
      permissions = next
      revision += 1
      // Before that, loading sees to it: a command that is gone in a moment opens no store for it.
      if (isLoaded) void inTurn(async () => auditPermissions(await deps.store())).catch(reportUnaudited)
    },
    mayRunAtOnce: (tool) => mayRunAtOnce(tool, rate(tool)),
    list: () => deps.tools().map(describe),
    describe,
    set: (tool, risk, { reason, by }) =>
      inTurn(async () => {
        const store = await deps.store()
        // What is judged by its statement may be anything: to say what it is lets all of that through.
        const rated = rate(tool)
        const before = rated.byStatement === undefined ? rated.risk : 'dangerous'
        const isEscalation = rankRisk(risk) < rankRisk(before)
        if (isEscalation && reason.trim() === '')
          throw new UsageError(
            `${tool.id} is ${before} now: to call it ${risk} takes a reason.`,
            `Say why: pml risk set ${tool.id} ${risk} --reason "..."`,
          )
        const override: RiskOverride = { tool: tool.id, risk, reason: reason.trim(), setAt: now() }
        const audit = toAudit({
          what: 'risk-set',
          subject: tool.id,
          before,
          after: risk,
          isEscalation,
          reason: override.reason,
          by,
        })
        await store.saveRiskOverride(tool.id, override, audit)
        overrides.set(tool.id, override)
        revision += 1
        await remember()
        return override
      }),
    unset: (id, by) =>
      inTurn(async () => {
        const store = await deps.store()
        const override = overrides.get(id)
        if (override === undefined)
          throw new UsageError(`Nobody has set the risk of ${id}.`, 'See what was set with: pml risk')
        const tool = deps.tools().find((one) => one.id === id)
        const after = tool && rateAs(tool, undefined).risk
        const audit = toAudit({
          what: 'risk-unset',
          subject: id,
          before: override.risk,
          after: after ?? 'as rated',
          // What is not there may come back as anything.
          isEscalation: rankRisk(after ?? 'safe') < rankRisk(override.risk),
          reason: '',
          by,
        })
        await store.saveRiskOverride(id, undefined, audit)
        overrides.delete(id)
        revision += 1
        await remember()
      }),
    async undo(id, by) {
      if (!(await preferences.undo(id, by)))
        throw new UsageError(`Nobody has approved or rejected ${id} so far.`, 'See what was with: pml risk')
      await remember()
    },
    remember,
    audit: async (limit) => (await deps.store()).listPermissionAudit({ limit }),
    async loaded() {
      await deps.store()
    },
    async settled() {
      await last
    },
  }
}

/** As it was written by us; whatever else it may be says nothing. */
function toPermissions(state: Json | undefined): Permissions {
  if (!isObject(state) || !isObject(state.servers) || !isObject(state.toolOverrides)) return noPermissions
  return state as unknown as Permissions
}
