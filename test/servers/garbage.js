// A server that breaks the protocol around honest answers: see each tool. Two entries of its list are no tools.
import { objectSchema, send, serveRaw, textResult } from './raw-server.js'

const line = (bytes) => process.stdout.write(Buffer.concat([Buffer.from(bytes), Buffer.from('\n')]))

const tools = {
  /** Bytes that are not UTF-8, then the answer. */
  bad_utf8: () => {
    line([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d])
    return textResult('after bad bytes')
  },
  /** The answer twice, and one to a question never asked. */
  twice: (_, id) => {
    send({ id: 'pml-999999', result: textResult('nobody asked') })
    send({ id, result: textResult('first') })
    send({ id, result: textResult('second') })
  },
  /** An answer of so many bytes whose id comes first. */
  huge_id_first: ({ bytes }, id) => {
    process.stdout.write(
      `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"text":"${'x'.repeat(bytes)}"}}\n`,
    )
  },
  /** The same with its id last. */
  huge_id_last: ({ bytes }, id) => {
    process.stdout.write(
      `{"result":{"text":"${'x'.repeat(bytes)}"},"jsonrpc":"2.0","id":${JSON.stringify(id)}}\n`,
    )
  },
  /** A result that is no object, content that is no list, no content at all, an error of the protocol. */
  null_result: (_, id) => send({ id, result: null }),
  text_content: () => ({ content: 'just text' }),
  no_content: () => ({ structuredContent: { a: 1 }, custom: 'kept' }),
  refuse: () => {
    throw Object.assign(new Error('not today'), { code: -32050, data: { reason: 'rain' } })
  },
  asks_back: () => ({ resultType: 'input_required', inputRequests: {}, requestState: 's' }),
}

serveRaw({
  name: 'garbage',
  tools: () => [
    ...Object.keys(tools).map((name) => ({ name, description: `${name}.`, inputSchema: objectSchema() })),
    'not a tool',
    { name: 'no_schema', description: 'has none' },
  ],
  call: ({ name, arguments: args }, id) => tools[name](args, id),
})
