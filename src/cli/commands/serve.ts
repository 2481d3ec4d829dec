import { UsageError } from '../../errors.js'
import { commonArgs, defineCliCommand, gatewayChoice } from '../cli-command.js'
import { httpArgs, httpChoice } from '../http-choice.js'
import { printJson, printLine } from '../io.js'

export const serveCommand = defineCliCommand({
  name: 'serve',
  summary: 'Serve one MCP client on standard input and output',
  args: {
    ...commonArgs,
    http: { type: 'boolean', description: 'Serve over HTTP instead, and print the address' },
    ...httpArgs,
  },
  examples: [
    'pml serve',
    'pml serve --config ~/team/pml.config.yaml --exposure meta',
    'pml serve --http --port 0',
  ],
  notes: 'This is the command that MCP clients start. Standard output carries the protocol and nothing else.',
  async run({ args, io, gateway }) {
    if (!args.http) {
      if (args.port !== undefined || args.host !== undefined) {
        throw new UsageError('--port and --host are for HTTP.', 'Add --http, or use: pml up')
      }
      await gateway.serveStdioClient(gatewayChoice(args))
      return 0
    }
    const front = await gateway.openHttpFront({ ...gatewayChoice(args), ...httpChoice(args) }, () => {})
    if (args.json) printJson(io, { url: front.url, mcp: `${front.url}mcp`, holder: front.holderPid })
    else printLine(io, front.url)
    await front.stopped
    await front.close()
    return 0
  },
})
