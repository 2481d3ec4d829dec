import { ownToolName } from '../../model/own-tool-name.js'
import type { ToolDefinition } from '../../model/tool.js'
import { controlWorkflowDefinition } from './control-workflow.js'
import { discoverDefinition } from './discover.js'
import { executeCodeDefinition } from './execute-code.js'
import { executeWorkflowDefinition } from './execute-workflow.js'

/** Our own tools in the order of every listing. */
export const metaToolDefinitions: readonly ToolDefinition[] = [
  discoverDefinition,
  executeWorkflowDefinition,
  executeCodeDefinition,
  controlWorkflowDefinition,
]

/** o200k tokens of them all, measured by the test of this file; 900 are promised at most. */
export const metaToolTokens = 889

export const metaToolNames: ReadonlySet<string> = new Set(metaToolDefinitions.map(({ name }) => name))

/** The name of one of our tools behind what a client calls it: historical `pml:` forms and clients' own prefixes. */
export function metaToolName(name: string): string | undefined {
  if (metaToolNames.has(name)) return name
  const bare = ownToolName(name)
  return metaToolNames.has(bare) ? bare : undefined
}
