import { PmlError } from '../../errors.js'
import type { JsonObject } from '../../model/json.js'
import type { ContentBlock, ToolResult } from '../../model/tool-call.js'
import { argumentForms, readCallArguments, textWhereWanted } from '../call-arguments.js'
import { commonArgs, defineCliCommand, gatewayChoice } from '../cli-command.js'
import { printJson, printLine } from '../io.js'

export const callCommand = defineCliCommand({
  name: 'call',
  summary: 'Call one tool',
  takesMore: true,
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
    const words = args._.slice(1)
    const given = await readCallArguments(words, io)
    const result = (await gateway.withGateway(gatewayChoice(args), async (api) => {
      const call = (toolArguments: JsonObject) =>
        api.post('/api/call', { tool: args.tool, arguments: toolArguments })
      try {
        return await call(given)
      } catch (error) {
        // Refused here, before the server saw anything: there is nothing to be done twice.
        const isOurs = error instanceof PmlError && error.code === 'BAD_ARGUMENTS'
        const mended = isOurs ? textWhereWanted(words, given, error.message) : undefined
        if (mended === undefined) throw error
        return call(mended)
      }
    })) as ToolResult
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
