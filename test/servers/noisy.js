// A server that writes to standard output what is no message: banners, log lines in JSON, and text before a message.
import { objectSchema, send, serveRaw } from './raw-server.js'

const noise = (text) => process.stdout.write(text)
noise('Welcome to noisy 1.0!\n\n{"level":30,"msg":"started"}\n')

serveRaw({
  name: 'noisy',
  tools: () => {
    noise('listing...\n[1,2,3]\nnull\n')
    return [
      {
        name: 'shout',
        description: 'Answers amid noise.',
        inputSchema: objectSchema({ text: { type: 'string' } }),
      },
    ]
  },
  call: ({ arguments: args }, id) => {
    noise('{"half":\n50 % ')
    send({ id, result: { content: [{ type: 'text', text: args.text.toUpperCase() }] } })
    noise('100 %\r\n')
  },
})
