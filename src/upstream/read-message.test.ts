import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { answeredId, readMessage } from './read-message.js'

const corpus = fileURLToPath(new URL('../../../shared/corpora/json-test-suite/', import.meta.url))
const edges = (text: string) => {
  const bytes = Buffer.from(text)
  return { bytes: bytes.length, head: bytes.subarray(0, 512), tail: bytes.subarray(-512) }
}
const padding = 'x'.repeat(5000)

describe('one line of standard output', () => {
  test('a message, a batch of messages, and a message behind unfinished noise', () => {
    const message = '{"jsonrpc":"2.0","id":1,"result":{}}'
    for (const line of [message, `[${message}]`, `50 % done ${message}`, `${message}\r`]) {
      expect(readMessage(Buffer.from(line))).toMatchObject({ kind: 'messages', messages: [{ id: 1 }] })
    }
  })

  test.each([
    '',
    'hello',
    '{"level":30}',
    '[1]',
    'null',
    '{"jsonrpc":"1.0"}',
    '{"jsonrpc":',
  ])('noise: %s', (line) => {
    expect(readMessage(Buffer.from(line))).toEqual({ kind: 'noise' })
  })

  test('bytes that are not UTF-8 are refused', () => {
    expect(readMessage(Buffer.from([0x7b, 0xff, 0x7d]))).toEqual({ kind: 'invalid-utf8' })
  })

  test.skipIf(!existsSync(corpus))(
    'no file of JSONTestSuite gets past (skipped where ../shared is absent)',
    () => {
      const files = readdirSync(corpus, { recursive: true, encoding: 'utf8' }).filter((name) =>
        /[yni]_.*\.json$/.test(name),
      )
      expect(files.length).toBeGreaterThan(200)
      for (const file of files) {
        const bytes = readFileSync(`${corpus}${file}`)
        expect(['noise', 'invalid-utf8']).toContain(readMessage(bytes).kind)
        // As the result of a call: `y_` arrives, `n_` does not.
        const line = Buffer.concat([
          Buffer.from('{"jsonrpc":"2.0","id":1,"result":'),
          bytes,
          Buffer.from('}'),
        ])
        const name = file.split('/').at(-1)!
        if (name.startsWith('y_')) expect([file, readMessage(line).kind]).toEqual([file, 'messages'])
        if (name.startsWith('n_')) expect([file, readMessage(line).kind]).not.toEqual([file, 'messages'])
      }
    },
  )
})

describe('the request that a line too long to keep has answered', () => {
  test.each([
    [`{"jsonrpc":"2.0","id":"pml-7","result":{"a":"${padding}"}}`, 'pml-7'],
    [`{"id":3,"jsonrpc":"2.0","result":"${padding}"}`, 3],
    [`{ "jsonrpc" : "2.0" , "id" : 12 , "error" : "${padding}"}`, 12],
    [`{"result":{"a":"${padding}"},"jsonrpc":"2.0","id":"pml-8"}`, 'pml-8'],
    [`{"jsonrpc":"2.0","result":{"a":"${padding}"},"id":9}`, 9],
    // A request of the server's own, an id deeper inside, and one within a text are not answers.
    [`{"jsonrpc":"2.0","id":3,"method":"sampling/createMessage","params":"${padding}"}`, undefined],
    [`{"jsonrpc":"2.0","result":{"a":"${padding}","id":9}}`, undefined],
    [`{"jsonrpc":"2.0","result":"${padding},\\"id\\":9}"}`, undefined],
    [`{"jsonrpc":"2.0","method":"m","params":"${padding}","id":4}`, undefined],
  ])('case %#', (line, id) => {
    expect(answeredId(edges(line))).toBe(id)
  })
})
