import { silentLog } from '../model/log.js'
import type { Store } from '../store/store.js'
import { type OpenCapabilities, openCapabilities } from './open-capabilities.js'

/** Of a gateway that learns none. */
export function openTestCapabilities(): OpenCapabilities {
  return openCapabilities({
    store: () => new Promise<Store>(() => {}),
    isLearning: () => false,
    tool: () => undefined,
    riskOf: () => 'moderate',
    toolSuccess: () => undefined,
    likeness: async () => 0,
    onChange() {},
    now: Date.now,
    redact: (text) => text,
    log: silentLog,
  })
}

/** Where no code can be run. */
export const noCode = {
  unavailable: () => ({ code: 'SANDBOX_UNAVAILABLE', message: 'No code can be run here.', hint: '' }),
  warm() {},
}
