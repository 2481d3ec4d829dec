import { isObject } from '../model/json.js'

/** The resources a `subscriptions/listen` (2026-07-28) is about; undefined for any other message. */
export function listenedResources(message: unknown): readonly string[] | undefined {
  if (!isObject(message) || message.method !== 'subscriptions/listen' || !isObject(message.params))
    return undefined
  const { notifications } = message.params
  const uris = isObject(notifications) ? notifications.resourceSubscriptions : undefined
  return Array.isArray(uris) ? uris.filter((uri) => typeof uri === 'string') : []
}
