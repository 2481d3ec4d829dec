import { findByTool } from '../../model/find-by-tool.js'
import type { SpeculationConfig, SpeculationMode } from '../../model/speculation.js'
import type { ToolId } from '../../model/tool.js'

/** The lower of what holds for all and what is said of this tool. */
export function modeOf({ mode, tools }: SpeculationConfig, tool: ToolId): SpeculationMode {
  const said = findByTool(tools, tool)?.value ?? mode
  // In this order, so that a word that is none of ours lowers the mode and never raises it.
  if (mode === 'on' && said === 'on') return 'on'
  return isAtLeastShadow(mode) && isAtLeastShadow(said) ? 'shadow' : 'off'
}

function isAtLeastShadow(mode: SpeculationMode): boolean {
  return mode === 'on' || mode === 'shadow'
}
