/**
 * What may be done with a call: by what the user says of the tool, then by its risk. Everything about one tool is worked out once
 * and kept while tool and configuration are the same objects: every call is judged, and most of them just run. Only where a tool is
 * given statements do the arguments of the call count.
 */
import { createHash } from 'node:crypto'
import type { CallRules, CallToJudge, CallVerdict } from '../model/call-rules.js'
import type { PmlConfig } from '../model/config.js'
import { findByTool } from '../model/find-by-tool.js'
import { canonicalJson, isObject, type Json } from '../model/json.js'
import type { RatedRisk, RatedTool } from '../model/rate-risk.js'
import { rateStatement } from '../model/rate-statement.js'
import type { RiskSource } from '../model/risk-source.js'
import { parseToolId, type Tool, type ToolId } from '../model/tool.js'
import { isTrustedServer } from './is-safe-tool.js'
import type { ToolRisk } from './risk-registry.js'

export interface CallRulesDeps {
  config(): Pick<PmlConfig, 'approvals' | 'servers'>
  /** As it was approved by its pin. */
  tool(id: ToolId): Tool | undefined
  readonly risk: ToolRisk
}

interface ToolRules {
  readonly config: Pick<PmlConfig, 'approvals' | 'servers'>
  /** Of the risk registry. */
  readonly revision: number
  judge(call: CallToJudge): CallVerdict
  readonly keyArgument: string | undefined
  readonly isRepeatable: boolean
}

export function createCallRules({ config, tool, risk }: CallRulesDeps): CallRules {
  const known = new WeakMap<Tool, ToolRules>()
  const rulesOf = (id: ToolId): ToolRules => {
    const now = config()
    const found = tool(id)
    if (found === undefined) return judgeTool(unknownTool(id), now, risk)
    const kept = known.get(found)
    if (kept?.config === now && kept.revision === risk.revision()) return kept
    const rules = judgeTool(found, now, risk)
    known.set(found, rules)
    return rules
  }
  return {
    judge: (call) => rulesOf(call.tool).judge(call),
    isRepeatable: (id) => rulesOf(id).isRepeatable,
    keyArgument: (id) => rulesOf(id).keyArgument,
    get decideWithinMs() {
      return config().approvals.expireAfterMs
    },
  }
}

function judgeTool(tool: Tool, config: ToolRules['config'], risk: ToolRisk): ToolRules {
  const revision = risk.revision()
  const rated = risk.rate(tool)
  const isRefused = risk.standing(tool.id) === 'refused'
  const isTrusted = isTrustedServer(tool.server, config)
  const { approvals } = config
  const rule = findByTool(approvals.tools, tool.id)
  const decides = approvals.by === 'human' ? 'human' : 'anyone'
  // Only what bears on this tool: a rule for another must not void what a person has just approved.
  const policyVersion = shortHash({
    by: approvals.by,
    rule: rule?.value ?? null,
    isTrusted,
    definition: tool.hash,
    // What the tool says of itself is in its definition. How people answered is left out: an approval must not void itself.
    ...(saidElsewhere.has(rated.source) && { risk: rated.risk, source: rated.source }),
  })
  const says = (does: string): string => `The configuration says ${does} (approvals.tools, "${rule?.name}").`
  const judgeRisk = ({ risk, why }: RatedRisk): CallVerdict => {
    const common = { risk, policyVersion }
    if (rule?.value === 'block')
      return { ...common, verdict: 'block', why: says('block'), answeredBy: 'human' }
    if (rule?.value === 'allow') return { ...common, verdict: 'run', why: says('allow'), answeredBy: 'human' }
    if (rule?.value === 'ask')
      return { ...common, verdict: 'ask', why: `${says('ask')} ${why}`, answeredBy: 'human' }
    // A capability that is dangerous for what it calls asks when it calls that.
    if (risk === 'dangerous' && rated.asksInside !== true)
      return { ...common, verdict: 'ask', why, answeredBy: decides }
    if (isRefused) return { ...common, verdict: 'ask', why: `${refused} ${why}`, answeredBy: 'human' }
    return { ...common, verdict: 'run', why, answeredBy: 'anyone' }
  }
  const keyArgument = isTrusted ? findKeyArgument(tool) : undefined
  return {
    config,
    revision,
    judge: createJudge(rated, judgeRisk),
    keyArgument,
    isRepeatable: keyArgument !== undefined || (isTrusted && saysRepeatable(tool)),
  }
}

/** Whose word is not part of the tool's definition. */
const saidElsewhere: ReadonlySet<RiskSource> = new Set([
  'override',
  'permissions',
  'read-only server',
  'permission set',
])

const refused = 'It was rejected twice in a row, so it asks until it is approved once.'

function createJudge(rated: RatedTool, judgeRisk: (rated: RatedRisk) => CallVerdict): ToolRules['judge'] {
  const { byStatement } = rated
  if (byStatement !== undefined)
    return ({ arguments: args, requireApproval }) => {
      const risk = rateStatement(args, byStatement)
      const verdict = judgeRisk(risk)
      return requireApproval ? onRequest(verdict, risk.why) : verdict
    }
  const verdict = judgeRisk(rated)
  const verdictOnRequest = onRequest(verdict, rated.why)
  return ({ requireApproval }) => (requireApproval ? verdictOnRequest : verdict)
}

/** Whoever wrote the task asks for it, so a standing `allow` does not answer; who may answer is as strict as the tool demands. */
function onRequest(verdict: CallVerdict, why: string): CallVerdict {
  if (verdict.verdict === 'block') return verdict
  if (verdict.verdict === 'ask') return { ...verdict, why: `The task asks for approval. ${verdict.why}` }
  return {
    ...verdict,
    verdict: 'ask',
    why: `The task asks for approval. ${why}`,
    answeredBy: verdict.risk === 'dangerous' ? 'human' : 'anyone',
  }
}

/**
 * A call that only reads can be made twice. So can one that is idempotent, also where it destroys: MCP says of such a tool that the
 * same call again has no further effect, and what is deleted is deleted. A tool that is said to read and to destroy is not believed.
 */
function saysRepeatable({ definition }: Tool): boolean {
  const { readOnlyHint, idempotentHint, destructiveHint } = definition.annotations ?? {}
  return idempotentHint === true || (readOnlyHint === true && destructiveHint !== true)
}

/** As Stripe, AWS and those after them name it, without case and punctuation. */
const keyNames = new Set(['idempotencykey', 'clienttoken', 'clientrequesttoken'])

const keyLength = 36
const narrowing = ['enum', 'const', 'pattern', 'format', 'oneOf', 'allOf', 'not', '$ref']

function findKeyArgument({ definition: { inputSchema } }: Tool): string | undefined {
  const properties = isObject(inputSchema.properties) ? inputSchema.properties : {}
  return Object.keys(properties).find(
    (name) => keyNames.has(name.toLowerCase().replace(/[^a-z]/g, '')) && takesKey(properties[name]),
  )
}

/** Whether a key of ours (execute/idempotency-key.ts: 36 characters) fits, as far as it can be told without trying a pattern. */
function takesKey(schema: Json | undefined): boolean {
  if (schema === true) return true
  if (!isObject(schema)) return false
  const { type, maxLength, minLength, anyOf } = schema
  if (narrowing.some((keyword) => schema[keyword] !== undefined)) return false
  if (Array.isArray(anyOf))
    return anyOf.some((one: Json) => isObject(one) && one.type === 'string' && takesKey(one))
  const types = Array.isArray(type) ? type : [type ?? 'string']
  return (
    types.includes('string') &&
    (typeof maxLength !== 'number' || maxLength >= keyLength) &&
    (typeof minLength !== 'number' || minLength <= keyLength)
  )
}

/** A tool that nobody lists now: its name still says what it would do. */
function unknownTool(id: ToolId): Tool {
  const { server, tool: name } = parseToolId(id) ?? { server: '', tool: id }
  return { id, server, name, definition: { name, inputSchema: {} }, hash: '', listed: false, flags: [] }
}

function shortHash(value: Json): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex').slice(0, 16)
}
