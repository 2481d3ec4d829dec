import { UsageError } from '../../errors.js'
import type { RiskListing } from '../../gateway/risk-registry.js'
import { writeOutUnseen } from '../../gateway/write-out-unseen.js'
import type { HolderApi } from '../../holder/holder-api.js'
import type { PermissionAudit } from '../../model/risk-override.js'
import { commonArgs, defineCliCommand, gatewayChoice } from '../cli-command.js'
import { type Colours, coloursFor } from '../colour.js'
import { countOf } from '../count-of.js'
import { formatTable } from '../format-table.js'
import { type Io, printJson, printLine } from '../io.js'
import { settledStatus } from '../settled-status.js'

/** A first `npx` of a server installs it. */
const waitMs = 20_000

export const riskCommand = defineCliCommand({
  name: 'risk',
  summary: 'See and say what tools may do',
  takesMore: true,
  args: {
    action: {
      type: 'positional',
      required: false,
      description: 'set TOOL RISK, unset TOOL, undo TOOL, audit; nothing lists all tools',
    },
    ...commonArgs,
    server: { type: 'string', valueHint: 'name', description: 'Only the tools of this server' },
    risk: {
      type: 'string',
      valueHint: 'risk',
      description: 'Only those that are safe, moderate or dangerous',
    },
    reason: {
      type: 'string',
      valueHint: 'text',
      description: 'set: why; has to be said where a risk is lowered',
    },
    limit: { type: 'string', valueHint: 'number', default: '50', description: 'audit: how many at most' },
  },
  usageTail: '[TOOL] [RISK]',
  examples: [
    'pml risk',
    'pml risk --server github --risk dangerous',
    'pml risk set files:move_file safe --reason "the folder is under version control"',
    'pml risk unset files:move_file',
    'pml risk undo files:move_file',
    'pml risk audit --json',
  ],
  notes: `
safe only reads, moderate runs unasked as well, dangerous waits for a person. What counts, the first that says anything: set, toolOverrides
and isReadOnly of mcp-permissions.yaml (beside the configuration), the tool's annotations, the words of its name and of its
description, the permissionSet of its server.
Answers are remembered: three approvals in a row let plans with a tool that is not dangerous run at once, two rejections in a row make
it ask until it is approved once. undo takes back what was answered. approvals.tools of the configuration is stronger than both.`,
  async run({ args, io, gateway }) {
    const wanted = readAction(args._, args)
    return gateway.withGateway(gatewayChoice(args), async (api) => {
      if (wanted.action === 'audit') return tellAudit(wanted.limit, args.json === true, api, io)
      await settledStatus(api, waitMs)
      if (wanted.action === 'list') return tellRisks(args, api, io)
      const changed = (await api.post('/api/risk', wanted)) as RiskListing | { readonly tool: string }
      if (args.json) printJson(io, changed)
      else printLine(io, describeChanged(changed, coloursFor(io, io.stdout)))
      return 0
    })
  },
})

type Wanted =
  | { readonly action: 'list' }
  | { readonly action: 'audit'; readonly limit: number }
  | { readonly action: 'set'; readonly tool: string; readonly risk: string; readonly reason?: string }
  | { readonly action: 'unset' | 'undo'; readonly tool: string }

/** Mistakes are told before a gateway is opened for them. */
function readAction(
  [action, tool, risk, ...more]: readonly string[],
  { reason, limit }: { readonly reason?: string | undefined; readonly limit: string },
): Wanted {
  if (action === undefined) return { action: 'list' }
  if (action === 'audit') {
    refuseMore([tool, risk, ...more])
    return { action, limit: readLimit(limit) }
  }
  if (action !== 'set' && action !== 'unset' && action !== 'undo')
    throw new UsageError(`Expected set, unset, undo or audit, got "${action}".`, 'See: pml risk --help')
  if (tool === undefined) throw new UsageError(`Expected a tool after ${action}.`, 'List them with: pml risk')
  if (action !== 'set') {
    refuseMore([risk, ...more])
    return { action, tool }
  }
  if (risk !== 'safe' && risk !== 'moderate' && risk !== 'dangerous')
    throw new UsageError(
      `Expected safe, moderate or dangerous, got ${risk === undefined ? 'nothing' : `"${risk}"`}.`,
      `Write: pml risk set ${tool} moderate --reason "..."`,
    )
  refuseMore(more)
  return { action, tool, risk, ...(reason !== undefined && { reason }) }
}

function refuseMore(words: readonly (string | undefined)[]): void {
  const more = words.filter((word) => word !== undefined)
  if (more.length > 0) throw new UsageError(`Unexpected: ${more.join(' ')}.`, 'See: pml risk --help')
}

function readLimit(text: string): number {
  const limit = Number(text)
  if (!Number.isInteger(limit) || limit < 1)
    throw new UsageError(`--limit: expected a whole number above 0, got "${text}".`)
  return limit
}

async function tellRisks(
  args: {
    readonly server?: string | undefined
    readonly risk?: string | undefined
    readonly json?: boolean | undefined
  },
  api: HolderApi,
  io: Io,
): Promise<number> {
  const query = new URLSearchParams({
    ...(args.server !== undefined && { server: args.server }),
    ...(args.risk !== undefined && { risk: args.risk }),
  })
  const { tools } = (await api.get(`/api/risk?${query}`)) as { tools: readonly RiskListing[] }
  if (args.json) {
    printJson(io, { tools })
    return 0
  }
  const colours = coloursFor(io, io.stdout)
  const rows = tools.map((tool) => [
    writeOutUnseen(tool.tool),
    coloured(tool, colours),
    tool.source,
    answersOf(tool),
    writeOutUnseen(ruled(tool)),
  ])
  if (rows.length > 0)
    printLine(io, `${formatTable(['TOOL', 'RISK', 'BY', 'ANSWERS', 'WHY'], rows, io.stdout.columns)}\n`)
  const count = (risk: RiskListing['risk']): number => tools.filter((tool) => tool.risk === risk).length
  printLine(
    io,
    `${countOf(tools.length, 'tool')}: ${count('safe')} safe, ${count('moderate')} moderate, ${count('dangerous')} dangerous`,
  )
  return 0
}

function coloured({ risk }: RiskListing, { red, green, yellow }: Colours): string {
  return (risk === 'dangerous' ? red : risk === 'moderate' ? yellow : green)(risk)
}

function answersOf({ preference }: RiskListing): string {
  if (preference === undefined) return ''
  const { approvals, rejections, standing } = preference
  return `${approvals} yes, ${rejections} no${standing === undefined ? '' : ` (${standing})`}`
}

/** A rule of the configuration comes before everything else. */
function ruled({ why, rule }: RiskListing): string {
  return rule === undefined
    ? why
    : `The configuration says ${rule.does} (approvals.tools, "${rule.name}"). ${why}`
}

function describeChanged(changed: RiskListing | { readonly tool: string }, colours: Colours): string {
  if (!('risk' in changed))
    return `${writeOutUnseen(changed.tool)} is not there now; what was said of it is gone.`
  return `${writeOutUnseen(changed.tool)} is ${coloured(changed, colours)} now. ${writeOutUnseen(ruled(changed))}`
}

async function tellAudit(limit: number, json: boolean, api: HolderApi, io: Io): Promise<number> {
  const { audit } = (await api.get(`/api/risk/audit?limit=${limit}`)) as { audit: readonly PermissionAudit[] }
  if (json) printJson(io, { audit })
  else if (audit.length === 0) printLine(io, 'Nothing has been changed so far.')
  else {
    const { yellow } = coloursFor(io, io.stdout)
    const rows = audit.map(({ at, what, subject, before, after, isEscalation, by, reason }) => [
      new Date(at).toISOString().slice(0, 19).replace('T', ' '),
      what,
      writeOutUnseen(subject),
      `${before} -> ${after}`,
      isEscalation ? yellow('allows more') : '',
      by,
      writeOutUnseen(reason),
    ])
    printLine(
      io,
      formatTable(['AT (UTC)', 'WHAT', 'OF', 'CHANGE', '', 'BY', 'REASON'], rows, io.stdout.columns),
    )
  }
  return 0
}
