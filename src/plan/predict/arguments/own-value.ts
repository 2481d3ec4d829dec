import type { Json, JsonObject } from '../../../model/json.js'

/** An argument may be called `constructor`. */
export function ownValue(object: JsonObject | undefined, name: string): Json | undefined {
  return object !== undefined && Object.hasOwn(object, name) ? object[name] : undefined
}
