import { createStaticEmbedder } from '../../embed/static-embedder.js'
import type { Json, JsonObject } from '../../model/json.js'
import type { Tool } from '../../model/tool.js'
import { makeTool } from '../make-tool.contract.js'
import { createToolShapes, type ToolShape } from './describe-tool.js'
import { type Field, schemaFields } from './schema-fields.js'

export interface ToolSketch {
  readonly id: string
  readonly description?: string
  /** Parameters, in order; a name that ends with `?` need not be there. */
  readonly takes?: Readonly<Record<string, JsonObject>>
  readonly gives?: JsonObject
}

/** A tool for tests of wiring: `sketchTool({ id: 'mail:send_mail', takes: { to: { type: 'string' } } })`. */
export function sketchTool({ id, description = '', takes = {}, gives }: ToolSketch): Tool {
  const names = Object.keys(takes)
  const properties = Object.fromEntries(names.map((name) => [name.replace(/\?$/, ''), takes[name]!]))
  const required = names.filter((name) => !name.endsWith('?'))
  const tool = makeTool(id, description, { inputSchema: { type: 'object', properties, required } })
  return gives === undefined ? tool : { ...tool, definition: { ...tool.definition, outputSchema: gives } }
}

const shapes = createToolShapes(createStaticEmbedder())

/** The same sketch twice is the same tool twice. */
export function shapeTools(...sketches: readonly ToolSketch[]): Promise<readonly ToolShape[]> {
  const tools = new Map(sketches.map((sketch) => [sketch, sketchTool(sketch)]))
  return shapes.of(
    sketches.map((sketch) => tools.get(sketch)!),
    () => undefined,
  )
}

/** The one parameter of a schema that holds nothing else. */
export function makeField(name: string, property: Json, isRequired = true): Field {
  const required = isRequired ? [name] : []
  return schemaFields({ type: 'object', properties: { [name]: property }, required })[0]!
}
