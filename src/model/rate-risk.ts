import { type Permissions, riskOfSet, serverPermissions, toolPermission } from './permissions.js'
import type { StatementTaker } from './rate-statement.js'
import { type DescriptionReading, readDescription } from './read-description.js'
import { type NameReading, readName } from './read-name.js'
import type { Risk } from './risk.js'
import type { RiskOverride } from './risk-override.js'
import type { RiskSource } from './risk-source.js'
import { formatToolId, type Tool } from './tool.js'

export interface RatedRisk {
  readonly risk: Risk
  /** One sentence, for a person who is asked. */
  readonly why: string
}

export interface RatedTool extends RatedRisk {
  readonly source: RiskSource
  /** Where it is given statements, each call is rated by them: rate-statement.ts. */
  readonly byStatement?: StatementTaker
  /** Of a capability: for what it calls alone, and each of these calls is judged by itself. */
  readonly asksInside?: boolean
}

export interface RiskContext {
  /** Its server is one of the user's own. */
  readonly isTrusted: boolean
  /** What a person has said of this tool. */
  readonly override: RiskOverride | undefined
  readonly permissions: Permissions
}

/**
 * What a call of this tool may do at worst. The first that says anything counts: a person about this tool, mcp-permissions.yaml about it,
 * then about its server, the tool's annotations, the whole words of its name, the verbs of its description, the permission set of its
 * server. A server that is not trusted can make its tools look worse, not better: neither by annotations nor by harmless words.
 *
 * `safe` by words is a guess. It is good enough to say what a call is likely to do, never to make one unasked: for that, see
 * gateway/is-safe-tool.ts.
 */
export function rateRisk(
  tool: Pick<Tool, 'server' | 'name' | 'definition'>,
  context: RiskContext,
): RatedTool {
  const { isTrusted, override, permissions } = context
  if (override !== undefined)
    return { risk: override.risk, why: `A person said so: ${override.reason}`, source: 'override' }
  const permitted = toolPermission(formatToolId(tool.server, tool.name), permissions)
  if (permitted !== undefined) {
    const because = permitted.reason === undefined ? '.' : `: ${permitted.reason}`
    return { risk: permitted.risk, why: `mcp-permissions.yaml says so${because}`, source: 'permissions' }
  }
  if (serverPermissions(tool.server, permissions).isReadOnly === true)
    return {
      risk: 'safe',
      why: 'Its server only reads, says mcp-permissions.yaml.',
      source: 'read-only server',
    }
  const { destructiveHint, readOnlyHint } = tool.definition.annotations ?? {}
  if (destructiveHint === true)
    return { risk: 'dangerous', why: 'Its server says that it may destroy.', source: 'annotations' }
  if (readOnlyHint === true && isTrusted)
    return { risk: 'safe', why: 'Its server says that it only reads.', source: 'annotations' }
  return rateWords(tool, context)
}

function rateWords(tool: Pick<Tool, 'server' | 'name' | 'definition'>, context: RiskContext): RatedTool {
  const name = readName(tool)
  const text = readDescription(tool.definition.description ?? '')
  const rated = rateDeeds(tool, name, text, context)
  if (name.statement === undefined) return rated
  const { isCertain, saysNoMore } = name.statement
  const without: RatedRisk = saysNoMore ? { risk: 'dangerous', why: 'It is not one plain SELECT.' } : rated
  const byStatement = { isCertain, without }
  // A `query` that reads by its description and speaks of no language may be plain words; calls are looked at all the same.
  if (!isCertain && rated.risk === 'safe' && text.deed === 'reads' && !text.namesLanguage)
    return { ...rated, byStatement }
  return { risk: 'dangerous', why: 'It runs the statement that it is given.', source: 'name', byStatement }
}

function rateDeeds(
  tool: Pick<Tool, 'server' | 'name' | 'definition'>,
  name: NameReading,
  text: DescriptionReading,
  context: RiskContext,
): RatedTool {
  if (name.deed === 'code' || name.deed === 'runs')
    return byName('dangerous', `It runs what it is given, by the word "${name.word}" of its name.`)
  // Words that harm may be things where name and description agree that it reads.
  if (
    name.mayRead &&
    name.deed !== 'reads' &&
    (text.deed === 'reads' || (name.deed === 'nothing' && text.speaksOfReading))
  )
    return ifTrusted(
      tool,
      context,
      byText('safe', `It reads, by the word "${text.word}" of its description.`),
    )
  if (name.deed === 'harms')
    return byName('dangerous', `It cannot be undone, by the word "${name.word}" of its name.`)
  if (text.deed === 'harms' && (name.deed !== 'changes' || text.isFirst))
    return byText('dangerous', `It cannot be undone, by the word "${text.word}" of its description.`)
  if (name.deed === 'changes')
    return byName('moderate', `It changes something, by the word "${name.word}" of its name.`)
  if (text.deed === 'runs' && name.deed === 'nothing')
    return byText('dangerous', `It runs what it is given, by the word "${text.word}" of its description.`)
  if ((text.deed === 'changes' && !(name.deed === 'reads' && text.saysReadOnly)) || text.deed === 'runs')
    return byText('moderate', `It changes something, by the word "${text.word}" of its description.`)
  if (name.deed === 'reads')
    return ifTrusted(tool, context, byName('safe', `It reads, by the word "${name.word}" of its name.`))
  if (text.deed === 'reads')
    return ifTrusted(
      tool,
      context,
      byText('safe', `It reads, by the word "${text.word}" of its description.`),
    )
  return rateServer(tool, context)
}

function rateServer(
  { server, definition }: Pick<Tool, 'server' | 'definition'>,
  { permissions }: RiskContext,
): RatedTool {
  const { permissionSet } = serverPermissions(server, permissions)
  if (permissionSet === undefined)
    return { risk: 'moderate', why: 'Nothing tells what it does.', source: 'unknown' }
  const risk = riskOfSet(permissionSet)
  if (risk === 'safe' && definition.annotations?.readOnlyHint === false)
    return { risk: 'moderate', why: 'Its server says that it does not only read.', source: 'annotations' }
  return {
    risk,
    why: `Its server has the permission set "${permissionSet}", and nothing tells more.`,
    source: 'permission set',
  }
}

function ifTrusted(
  { definition }: Pick<Tool, 'definition'>,
  { isTrusted }: RiskContext,
  rated: RatedTool,
): RatedTool {
  const where = rated.source === 'name' ? 'name' : 'description'
  const but = (why: string): RatedTool => ({
    ...rated,
    risk: 'moderate',
    why: `Its ${where} speaks of reading, but its server ${why}.`,
  })
  if (!isTrusted) return but('is not trusted')
  if (definition.annotations?.readOnlyHint === false) return but('says that it does not only read')
  return rated
}

function byName(risk: Risk, why: string): RatedTool {
  return { risk, why, source: 'name' }
}

function byText(risk: Risk, why: string): RatedTool {
  return { risk, why, source: 'description' }
}
