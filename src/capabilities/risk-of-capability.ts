/**
 * What a capability may do at worst: the highest of everything that it comes to call. One that cannot be relied on is raised: to dangerous
 * below .5, to moderate below .8, by the weakest of what it needs and, once it was used five times, by its own success. What it needs and
 * is gone is not known, and so moderate at least.
 */
import type { CapabilityId } from '../model/capability.js'
import { rankRisk } from '../model/rank-risk.js'
import type { Risk } from '../model/risk.js'
import type { ToolId } from '../model/tool.js'
import type { CapabilityShelf } from './capability-shelf.js'
import { reachOf } from './reach-of.js'
import { successRate } from './reliability-of.js'
import { fewestObservations } from './transitive-reliability.js'

export interface CapabilityRisk {
  readonly risk: Risk
  /** One line. */
  readonly why: string
  /** It is as high for what it calls, which is judged when it is called; not for the capability's own sake. */
  readonly isByTool: boolean
}

export function riskOfCapability(
  id: CapabilityId,
  {
    riskOf,
    isOpen,
    shelf,
  }: {
    readonly riskOf: (tool: ToolId) => Risk
    /** It, or something that it needs, may call what cannot be seen in its code. */
    readonly isOpen: boolean
    readonly shelf: Pick<CapabilityShelf, 'get' | 'needs' | 'transitive'>
  },
): CapabilityRisk {
  const capability = shelf.get(id)
  if (capability === undefined)
    return { risk: 'moderate', why: 'There is no such capability.', isByTool: false }
  const { tools, gone } = reachOf(id, shelf)
  let worst: CapabilityRisk = {
    risk: 'safe',
    why: tools.size === 0 ? 'It calls no tool.' : 'All of its tools are safe.',
    isByTool: true,
  }
  const raise = (risk: Risk, why: string, isByTool: boolean): void => {
    const isHigher = rankRisk(risk) > rankRisk(worst.risk)
    // What it is for its own sake says more than what it calls.
    if (isHigher || (risk === worst.risk && worst.isByTool && !isByTool)) worst = { risk, why, isByTool }
  }
  for (const tool of tools) {
    const risk = riskOf(tool)
    raise(risk, `It calls ${tool}, which is ${risk}.`, true)
  }
  for (const needed of gone) raise('moderate', `It needs ${needed}, which is not there.`, false)
  if (isOpen) raise('moderate', 'What it calls is not all known before it is called.', false)
  const { value, weakest } = shelf.transitive(id)
  const raised = riskBelow(value)
  if (raised !== undefined)
    raise(raised, `It needs ${weakest}, which succeeds in ${percent(value)} of its uses.`, false)
  const own = successRate(capability.successes, capability.uses)
  const ownRisk = capability.uses < fewestObservations ? undefined : riskBelow(own)
  if (ownRisk !== undefined) raise(ownRisk, `It succeeds in ${percent(own)} of its uses.`, false)
  return worst
}

function riskBelow(reliability: number): Risk | undefined {
  return reliability < 0.5 ? 'dangerous' : reliability < 0.8 ? 'moderate' : undefined
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`
}
