import type { ContentBlock, ToolResult } from '../../model/tool-call.js'
import { argumentForms, readCallArguments } from '../call-arguments.js'
import { commonArgs, defineCliCommand, gatewayChoice } from '../cli-command.js'
import { printJson, printLine } from '../io.js'

export const callCommand = defineCliCommand({
  name: 'call',
  summary: 'Call one tool',
  args: {
    tool: { type: 'positional', required: true, description: 'server:tool, or any other form of its name' },
    arguments: {
      type: 'positional',
      required: false,
      description: 'key=value pairs, a JSON object, @file or -',
    },
    ...commonArgs,
  },
  examples: [
    'pml call files:read_text_file path=README.md head=5',
    `pml call memory:search_nodes '{"query": "ada"}'`,
    'pml call everything:echo @arguments.json --json',
    'echo \'{"message": "hi"}\' | pml call everything:echo -',
  ],
  notes: argumentForms,
  async run({ args, io, gateway }) {
    const toolArguments = await readCallArguments(args._.slice(1), io)
    const result = (await gateway.withGateway(gatewayChoice(args), (api) =>
      api.post('/api/call', { tool: args.tool, arguments: toolArguments }),
    )) as ToolResult
    if (args.json) printJson(io, result)
    else printLine(io, describeResult(result))
    return result.isError === true ? 1 : 0
  },
})

/** Text as it is; what is not text is named, because a terminal can do nothing with it. */
function describeResult(result: ToolResult): string {
  const blocks = (result.content ?? []).map(describeBlock)
  if (blocks.length > 0) return blocks.join('\n')
  return result.structuredContent === undefined ? '' : JSON.stringify(result.structuredContent, undefined, 2)
}

function describeBlock(block: ContentBlock): string {
  if (block.type === 'text') return block.text ?? ''
  if (typeof block.data === 'string') {
    return `[${block.type} ${block.mimeType ?? ''}, ${Buffer.byteLength(block.data, 'base64')} bytes; see --json]`
  }
  return JSON.stringify(block, undefined, 2)
}
