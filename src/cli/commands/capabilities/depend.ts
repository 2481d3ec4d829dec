import type { DependencyListing } from '../../../gateway/capabilities-api.js'
import type { CapabilityDependency } from '../../../model/capability.js'
import { redactJson } from '../../../model/redact.js'
import { printJson, printLine } from '../../io.js'
import { dependencyTable } from './draw-capability.js'
import { nameOf, shown, type Telling } from './telling.js'

export interface WantedDependency {
  readonly from: string
  readonly to: string
  readonly type: CapabilityDependency['type']
}

export async function changeDependency(
  wanted: WantedDependency,
  isRemoved: boolean,
  { api, io, json }: Telling,
): Promise<number> {
  if (isRemoved) {
    const reply = (await api.post('/api/capability-dependencies/remove', wanted)) as {
      readonly removed: Pick<DependencyListing, 'from' | 'to' | 'type'>
    }
    const { from, to, type } = redactJson(reply.removed, shown)
    if (json) printJson(io, reply)
    else printLine(io, `${nameOf(from)} and ${nameOf(to)} are no ${type} any more.`)
    return 0
  }
  const added = (await api.post('/api/capability-dependencies', wanted)) as DependencyListing
  const { from, to, type } = redactJson(added, shown)
  if (json) printJson(io, added)
  else printLine(io, `${nameOf(from)} ${verbs[type]} ${nameOf(to)} (${type}).`)
  return 0
}

export async function tellDependencies(of: string | undefined, { api, io, json }: Telling): Promise<number> {
  const query = of === undefined ? '' : `?of=${encodeURIComponent(of)}`
  const reply = (await api.get(`/api/capability-dependencies${query}`)) as {
    readonly dependencies: readonly DependencyListing[]
  }
  if (json) printJson(io, reply)
  else {
    const lines = dependencyTable(redactJson(reply.dependencies, shown))
    printLine(io, lines.length === 0 ? 'Nothing is known yet of what goes together.' : lines.join('\n'))
  }
  return 0
}

const verbs = {
  dependency: 'needs',
  contains: 'holds',
  sequence: 'comes before',
  alternative: 'stands in for',
} as const satisfies Record<CapabilityDependency['type'], string>
