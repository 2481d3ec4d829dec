import type { CapabilityGroup, CapabilityList, CapabilityListing } from '../../../gateway/capabilities-api.js'
import { formatDuration } from '../../../model/format-duration.js'
import { redactJson } from '../../../model/redact.js'
import { type Colours, coloursFor } from '../../colour.js'
import { countOf } from '../../count-of.js'
import { formatTable } from '../../format-table.js'
import { printJson, printLine } from '../../io.js'
import { nameOf, riskIn, shown, type Telling, timeOf } from './telling.js'

export async function tellCapabilities(isAll: boolean, { api, io, json }: Telling): Promise<number> {
  const list = (await api.get(`/api/capabilities${isAll ? '?all=true' : ''}`)) as CapabilityList
  if (json) printJson(io, list)
  else printLine(io, describeList(redactJson(list, shown), coloursFor(io, io.stdout), io.stdout.columns))
  return 0
}

function describeList(
  { capabilities, hidden, groups }: CapabilityList,
  colours: Colours,
  width: number | undefined,
): string {
  if (capabilities.length + hidden === 0)
    return 'There are none yet. They come with code that works (execute_code), by hand (pml capabilities create FILE.ts --name NAME), or from others (pml capabilities import FILE).'
  const faults = capabilities.filter(({ isHidden }) => isHidden).map(({ name, why }) => `  ${name}: ${why}`)
  return [
    ...(capabilities.length > 0 ? [tableOf(capabilities, colours, width)] : []),
    ...(groups.length > 0 ? [['These belong together:', ...groups.map(describeGroup)].join('\n')] : []),
    ...(faults.length > 0 ? [['Hidden, and why:', ...faults].join('\n')] : []),
    `${countOf(capabilities.length, 'procedure')}${hidden > 0 ? `, and ${hidden} hidden: see them with --all` : ''}`,
  ].join('\n\n')
}

function tableOf(
  capabilities: readonly CapabilityListing[],
  colours: Colours,
  width: number | undefined,
): string {
  return formatTable(
    ['NAME', 'ID', 'USES', 'SUCCESS', 'MEAN', 'RISK', 'LAST USED (UTC)', 'CALLS'],
    capabilities.map((one) => [
      one.isHidden ? colours.dim(`${one.name} (hidden)`) : one.name,
      one.id,
      String(one.uses),
      one.uses === 0 ? '' : `${Math.round((100 * one.successes) / one.uses)} %`,
      one.meanMs === undefined ? '' : formatDuration(one.meanMs),
      riskIn(one.risk, colours),
      one.lastUsedAt === undefined ? 'never' : timeOf(one.lastUsedAt),
      [...one.tools, ...one.calls.map(nameOf)].join(', '),
    ]),
    width,
  )
}

function describeGroup({ kind, name, members, count }: CapabilityGroup): string {
  const names = members.map(nameOf).join(', ')
  return kind === 'contains'
    ? `  ${name} calls ${names}`
    : `  ${name}: ${names}, one after the other ${countOf(count, 'time')}`
}
