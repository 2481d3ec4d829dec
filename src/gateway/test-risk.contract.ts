import { createPreferences, type PreferenceStore } from '../learn/preferences/create-preferences.js'
import { silentLog } from '../model/log.js'
import { newId } from '../model/new-id.js'
import { noCapabilities } from './no-capabilities.contract.js'
import {
  createRiskRegistry,
  type RiskRegistry,
  type RiskRegistryDeps,
  type RiskStore,
} from './risk-registry.js'

/** A registry of which nobody has asked anything to be kept. */
export function openTestRisks(deps: Pick<RiskRegistryDeps, 'config' | 'tools'>): RiskRegistry {
  const store: RiskStore & PreferenceStore = {
    loadRiskOverrides: async () => [],
    async saveRiskOverride() {},
    async savePermissionAudit() {},
    listPermissionAudit: async () => [],
    loadLearnedState: async () => undefined,
    async saveLearnedState() {},
    loadPreferences: async () => [],
    async savePreferences() {},
  }
  const common = { store: async () => store, now: Date.now, newId, log: silentLog }
  const forgetful = {
    known: { overrides: [], refused: [] },
    async remember() {},
    redact: (text: string) => text,
  }
  return createRiskRegistry({
    ...{ ...deps, ...common, ...forgetful },
    tool: (id) => deps.tools().find((tool) => tool.id === id),
    capabilities: noCapabilities,
    preferences: createPreferences(common),
  })
}
