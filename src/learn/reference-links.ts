import type { Json, JsonObject } from '../model/json.js'
import { isReference, type Reference, readReference } from '../model/reference.js'
import { joinPath } from './visit-leaves.js'

/** An argument of which the plan itself says where its value comes from. */
export interface DeclaredLink {
  readonly reference: Reference
  /** As it is written, without the task in front: `files[*].name`. */
  readonly resultPath: string
  readonly argumentPath: string
}

/** The `{"$from": ...}` of planned arguments: no guess is needed there, and any kind of value counts. */
export function referenceLinks(args: JsonObject): readonly DeclaredLink[] {
  const links: DeclaredLink[] = []
  // Depth is bounded: planTasks refuses arguments deeper than 64.
  const collect = (value: Json, path: string): void => {
    if (isReference(value)) {
      const reference = readReference(value)
      const resultPath = reference.text.slice(reference.task.length).replace(/^\./, '')
      links.push({ reference, resultPath, argumentPath: path })
    } else if (Array.isArray(value)) for (const [at, item] of value.entries()) collect(item, `${path}[${at}]`)
    else if (value !== null && typeof value === 'object')
      for (const [key, item] of Object.entries(value)) collect(item as Json, joinPath(path, key))
  }
  collect(args, '')
  return links
}
