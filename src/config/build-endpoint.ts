import type { EndpointConfig } from '../model/config.js'
import { isHttpUrl } from './build-server.js'
import type { EndpointEntry } from './config-schema.js'
import type { Problem } from './describe-issue.js'

/** `search.embedder` names these without an endpoint. */
const reserved = new Set(['static', 'none'])

/** One entry of `search.endpoints`; what cannot be one is a Problem of that entry. */
export function buildEndpoint(
  name: string,
  entry: EndpointEntry,
  apiKeyVariable: string | undefined,
): EndpointConfig | Problem {
  const { apiKey, ...rest } = entry
  if (name.trim() === '') return { path: [], expected: 'expected a name that is not empty' }
  if (reserved.has(name)) return { path: [], expected: `expected another name: "${name}" is reserved` }
  if (!isHttpUrl(rest.url)) {
    return { path: ['url'], expected: 'expected an address that starts with http:// or https://' }
  }
  if (rest.model.trim() === '') return { path: ['model'], expected: 'expected the name of a model' }
  return {
    name,
    ...rest,
    ...(apiKey === undefined || apiKey === '' ? {} : { apiKey }),
    ...(apiKeyVariable === undefined ? {} : { apiKeyVariable }),
  }
}
