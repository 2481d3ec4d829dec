import type { JsonObject } from './json.js'

/** What a server offers beside its tools, as it lists it. */
export interface ServerOffers {
  readonly resources: readonly JsonObject[]
  readonly templates: readonly JsonObject[]
  readonly prompts: readonly JsonObject[]
}

export const noOffers: ServerOffers = { resources: [], templates: [], prompts: [] }
