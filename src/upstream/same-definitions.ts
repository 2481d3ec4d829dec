import { hashDefinition, type ToolDefinition } from '../model/tool.js'

type Definitions = readonly ToolDefinition[]

const hashes = new WeakMap<Definitions, string>()

/** Whether two lists hold the same tools as far as their pins can tell, in any order. A list is hashed once. */
export function sameDefinitions(a: Definitions, b: Definitions): boolean {
  return hashOf(a) === hashOf(b)
}

function hashOf(definitions: Definitions): string {
  let hash = hashes.get(definitions)
  if (hash === undefined) {
    hash = definitions
      .map((definition) => JSON.stringify([definition.name, hashDefinition(definition)]))
      .sort()
      .join()
    hashes.set(definitions, hash)
  }
  return hash
}
