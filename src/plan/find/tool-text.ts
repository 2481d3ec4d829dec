import { isObject } from '../../model/json.js'
import type { Tool } from '../../model/tool.js'

/** What search knows of a tool: one text per field. */
export type ToolText = Readonly<Record<Field, string>>
export type Field = 'server' | 'name' | 'title' | 'description' | 'parameters' | 'parameterText'

/** Deeper parameters are details of details; the bounds keep a hostile schema from costing time. */
const deepestParameter = 4
const mostParameters = 200
/** Longer descriptions are manuals: their first part says what the tool is for. */
const longestText = 4_000

export function toolText(tool: Tool): ToolText {
  const { definition } = tool
  const names: string[] = []
  const texts: string[] = []
  gatherParameters(definition.inputSchema, 0, names, texts)
  return {
    server: tool.server,
    name: tool.name,
    title: asText(definition.title ?? definition.annotations?.title),
    description: asText(definition.description),
    parameters: names.join(' '),
    parameterText: texts.join(' ').slice(0, longestText),
  }
}

/** Servers send what they like: a field that should be text and is not counts as absent. */
function asText(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, longestText) : ''
}

function gatherParameters(schema: unknown, depth: number, names: string[], texts: string[]): void {
  if (depth > deepestParameter || !isObject(schema)) return
  if (isObject(schema.properties)) {
    for (const [name, property] of Object.entries(schema.properties)) {
      if (names.length >= mostParameters) return
      names.push(name.slice(0, longestText))
      if (isObject(property)) texts.push(asText(property.description))
      gatherParameters(property, depth + 1, names, texts)
    }
  }
  gatherParameters(schema.items, depth + 1, names, texts)
}
