import { cutJsonEntry, insertJsonEntry, prettyJson } from '../model/edit-json-entry.js'
import { findEntry, type JsonTreeObject, parseJsonTree } from '../model/json-tree.js'
import type { ServerDefinition } from '../model/server-definition.js'
import type { Section } from './edit-config-file.js'

/**
 * JSON is edited as text, at the one place that changes, because printing it anew would lose comments and spacing.
 * The file was read before, so that its root is an object and its section, where there is one, too.
 */
export async function addToJson(
  text: string,
  section: Section,
  name: string,
  definition: ServerDefinition,
): Promise<string> {
  if (text.trim() === '') return `${JSON.stringify({ [section]: { [name]: definition } }, undefined, 2)}\n`
  const root = parseJsonTree(text) as JsonTreeObject
  const servers = findEntry(root, section)?.value
  if (servers?.kind === 'object') return insertJsonEntry(text, servers, name, definition, 2)
  const value = { [name]: definition }
  if (servers === undefined) return insertJsonEntry(text, root, section, value, 1)
  return text.slice(0, servers.start) + prettyJson(value, text, 1) + text.slice(servers.end)
}

export async function removeFromJson(text: string, section: Section, name: string): Promise<string> {
  const servers = findEntry(parseJsonTree(text), section)!.value as JsonTreeObject
  let edited = text
  for (const index of servers.entries.keys()) {
    const at = servers.entries.length - 1 - index
    if (servers.entries[at]!.key === name) edited = cutJsonEntry(edited, servers, at)
  }
  return edited
}

/** Sets one text beneath a section, `search.embedder` say; what is there in its place is replaced. */
export async function setInJson(text: string, section: string, key: string, value: string): Promise<string> {
  if (text.trim() === '') return `${JSON.stringify({ [section]: { [key]: value } }, undefined, 2)}\n`
  const root = parseJsonTree(text) as JsonTreeObject
  const parent = findEntry(root, section)?.value
  if (parent === undefined) return insertJsonEntry(text, root, section, { [key]: value }, 1)
  if (parent.kind !== 'object') return replace(parent, prettyJson({ [key]: value }, text, 1))
  const old = findEntry(parent, key)?.value
  return old === undefined
    ? insertJsonEntry(text, parent, key, value, 2)
    : replace(old, JSON.stringify(value))

  function replace({ start, end }: { readonly start: number; readonly end: number }, by: string): string {
    return text.slice(0, start) + by + text.slice(end)
  }
}
