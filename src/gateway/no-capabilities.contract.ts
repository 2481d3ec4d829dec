import type { CapabilityRisks } from './risk-registry.js'

/** Of a gateway that has learned none. */
export const noCapabilities: CapabilityRisks = {
  risk: () => ({ risk: 'moderate', why: 'There is no such capability.', isByTool: false }),
  reach: () => ({ tools: new Set(), isWhole: false }),
  revision: () => 0,
}
