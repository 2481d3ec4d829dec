import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { afterEach, describe, expect, test } from 'vitest'
import { failure } from '../../test/servers/fixtures.js'
import { limitedFetch } from './limited-fetch.js'

const maxBytes = 64 * 1024
let close = (): void => {}
afterEach(() => close())

/** What a reader gets of an event stream made of these chunks. */
async function readEvents(chunks: Iterable<string>): Promise<string> {
  const server = createServer((_, response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    Readable.from(chunks, { objectMode: false })
      .on('error', () => {})
      .pipe(response)
  })
  close = () => {
    server.closeAllConnections()
    server.close()
  }
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const response = await limitedFetch(maxBytes)(`http://127.0.0.1:${port}/`)
  return response.text()
}

function* repeat(text: string, times: number): Iterable<string> {
  for (let i = 0; i < times; i += 1) yield text
}

describe('an event stream', () => {
  const line = `data: ${'x'.repeat(1000)}`

  test.each([
    '\n',
    '\r\n',
    '\r',
  ])('has no end, as long as its events have one: lines end with %j', async (end) => {
    const event = `event: message${end}${line}${end}${end}`
    expect(await readEvents(repeat(event, 500))).toHaveLength(500 * event.length)
  })

  test.each(['\n', '\r\n', '\r'])('of one event without end is cut off: lines end with %j', async (end) => {
    expect(await failure(readEvents(repeat(line + end, 20_000)))).toMatchObject({ code: 'MESSAGE_TOO_LARGE' })
  })

  test('of one line without end is cut off', async () => {
    expect(await failure(readEvents(repeat(line, 20_000)))).toMatchObject({ code: 'MESSAGE_TOO_LARGE' })
  })

  test('an event that ends within a chunk is measured all the same', async () => {
    const large = `${line}\n`.repeat(70)
    expect(await failure(readEvents([`${large}\n${line}\n\n`]))).toMatchObject({ code: 'MESSAGE_TOO_LARGE' })
  })
})
