import { parseToolId, type ToolId } from './tool.js'

/** Of an id that is none: all of it, so that it shares its state with nothing else. */
export function serverOf(tool: ToolId): string {
  return parseToolId(tool)?.server ?? tool
}
