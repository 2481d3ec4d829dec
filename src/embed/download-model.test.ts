import { createHash, randomBytes } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { DownloadError } from '../errors.js'
import type { FileProgress } from './download-file.js'
import { downloadModel } from './download-model.js'
import { type KnownModel, knownModels } from './known-models.js'
import { bytesOnDisk, isDownloaded, modelFile } from './model-files.js'

const model: KnownModel = {
  ...knownModels[0]!,
  name: 'tiny',
  repo: 'someone/tiny',
  files: ['config.json', 'onnx/model_quantized.onnx'],
}
const weights = 'onnx/model_quantized.onnx'

let server: Server
let hub: string
let dataDirectory: string
let content: Buffer
/** How the storage behind the hub behaves, request by request; the default is to do it well. */
let storage: (request: IncomingMessage, response: ServerResponse, count: number) => void
let ranges: (string | undefined)[]
let progress: FileProgress[]
let signal: AbortSignal
/** The hub sends the checksum, as it does for large files. */
let tellsChecksum: boolean

beforeEach(async () => {
  dataDirectory = mkdtempSync(join(tmpdir(), 'pml-models-'))
  content = randomBytes(1_000_000)
  ranges = []
  progress = []
  signal = new AbortController().signal
  tellsChecksum = true
  storage = (request, response) => serve(request, response)
  let count = 0
  server = createServer((request, response) => {
    const { pathname } = new URL(request.url!, hub)
    if (pathname === '/someone/tiny/resolve/main/config.json') return response.end('{"model_type":"bert"}')
    if (pathname === `/someone/tiny/resolve/main/${weights}`) {
      const linked = { 'x-linked-etag': `"${sha256(content)}"`, 'x-linked-size': content.length }
      response.writeHead(302, { location: '/storage/blob?signature=hush', ...(tellsChecksum && linked) })
      return response.end('Found')
    }
    if (pathname !== '/storage/blob') {
      response.writeHead(404)
      return response.end()
    }
    ranges.push(request.headers.range)
    storage(request, response, ++count)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  hub = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterEach(() => {
  server.closeAllConnections()
  server.close()
  rmSync(dataDirectory, { recursive: true, force: true })
})

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')
const etag = (): string => `"storage-${sha256(content).slice(0, 8)}"`

/** As a storage does: Range, If-Range, ETag. `upTo` cuts the connection after so many bytes of the body. */
function serve(request: IncomingMessage, response: ServerResponse, upTo = Number.POSITIVE_INFINITY): void {
  const condition = request.headers['if-range']
  const asked = condition === undefined || condition === etag() ? request.headers.range : undefined
  const from = Number(/^bytes=(\d+)-$/.exec(asked ?? '')?.[1] ?? 0)
  if (from >= content.length) {
    response.writeHead(416, { 'content-range': `bytes */${content.length}` })
    response.end()
    return
  }
  const body = content.subarray(from)
  response.writeHead(asked === undefined ? 200 : 206, {
    etag: etag(),
    'content-length': body.length,
    ...(asked !== undefined && { 'content-range': `bytes ${from}-${content.length - 1}/${content.length}` }),
  })
  if (upTo >= body.length) response.end(body)
  else response.write(body.subarray(0, upTo), () => void breakOff(response, from + upTo))
}

/** When all that was sent is on the disk: what lies unread in a stream that fails is lost, however little that is. */
async function breakOff(response: ServerResponse, written: number): Promise<void> {
  const size = () => statSync(`${place()}.part`, { throwIfNoEntry: false })?.size ?? 0
  for (let waited = 0; size() < written && waited < 2_000; waited += 5) await sleep(5)
  response.destroy()
}

const download = (more: Partial<Parameters<typeof downloadModel>[1]> = {}) =>
  downloadModel(model, { dataDirectory, hub, signal, onProgress: (step) => progress.push(step), ...more })

const place = (file = weights) => modelFile(model, file, dataDirectory)

async function failure(more: Parameters<typeof download>[0] = {}): Promise<DownloadError> {
  const error = await download(more).then(
    () => undefined,
    (caught) => caught,
  )
  expect(error).toBeInstanceOf(DownloadError)
  expect(isDownloaded(model, dataDirectory)).toBe(false)
  expect(`${error.message} ${error.hint}`).not.toContain('hush')
  return error
}

function expectWhole(): void {
  expect(isDownloaded(model, dataDirectory)).toBe(true)
  expect(readFileSync(place()).equals(content)).toBe(true)
  expect(readdirSync(dirname(place()))).toEqual(['model_quantized.onnx'])
  expect(existsSync(join(dirname(place('config.json')), '.download.lock'))).toBe(false)
}

it('a model arrives whole, tells how far it is, and is not fetched again', async () => {
  await download()
  expectWhole()
  expect(progress.filter(({ file }) => file === weights).at(-1)).toEqual({
    file: weights,
    bytes: content.length,
    total: content.length,
  })
  await download()
  expect(ranges).toEqual([undefined])
  expect(bytesOnDisk(model, dataDirectory)).toBe(content.length + 21)
})

describe('a connection that breaks off', () => {
  it.each([true, false])('is taken up where it ended (checksum told: %s)', async (told) => {
    tellsChecksum = told
    storage = (request, response, count) => serve(request, response, count < 4 ? 200_000 : undefined)
    await download()
    expectWhole()
    expect(ranges).toEqual([undefined, 'bytes=200000-', 'bytes=400000-', 'bytes=600000-'])
  })

  it('is taken up by the next process as well', async () => {
    const controller = new AbortController()
    signal = controller.signal
    storage = (request, response) => serve(request, response, 300_000)
    const stop = new Error('killed')
    await expect(
      download({
        onProgress({ file, bytes }) {
          if (file === weights && bytes >= 300_000) controller.abort(stop)
        },
      }),
    ).rejects.toBe(stop)
    expect(isDownloaded(model, dataDirectory)).toBe(false)
    signal = new AbortController().signal
    storage = (request, response) => serve(request, response)
    await download()
    expectWhole()
    expect(ranges.at(-1)).toBe('bytes=300000-')
  })

  it.each([true, false])('starts over where the file has changed since (checksum told: %s)', async (told) => {
    tellsChecksum = told
    storage = (request, response, count) => {
      if (count === 2) content = randomBytes(900_000)
      serve(request, response, count === 1 ? 200_000 : undefined)
    }
    // The hub tells the new checksum before the storage is asked.
    if (told)
      storage = (request, response, count) => {
        serve(request, response, count === 1 ? 200_000 : undefined)
        if (count === 1) content = randomBytes(900_000)
      }
    await download()
    expectWhole()
    expect(ranges.at(-1)).toBe(told ? undefined : 'bytes=200000-')
  })

  it('starts over where the server knows no ranges', async () => {
    storage = (request, response, count) => {
      delete request.headers.range
      serve(request, response, count < 3 ? 400_000 : undefined)
    }
    await download()
    expectWhole()
    // Where exactly it broke off cannot be told: the part of the first try is on the disk when the second begins.
    const somewhere = expect.stringMatching(/^bytes=\d+-$/)
    expect(ranges).toEqual([undefined, somewhere, somewhere])
  })

  it('a part that is whole already only gets its name', async () => {
    mkdirSync(dirname(place()), { recursive: true })
    writeFileSync(`${place()}.part`, content)
    writeFileSync(`${place()}.part.json`, JSON.stringify({ checksum: sha256(content) }))
    await download()
    expectWhole()
    expect(ranges).toEqual([`bytes=${content.length}-`])
  })

  it('a part that nothing is known of is not trusted', async () => {
    mkdirSync(dirname(place()), { recursive: true })
    writeFileSync(`${place()}.part`, 'who knows')
    await download()
    expectWhole()
  })

  it('falls silent: it is cut and taken up again', async () => {
    storage = (request, response, count) => {
      if (count > 1) return serve(request, response)
      response.writeHead(200, { etag: etag(), 'content-length': content.length })
      response.write(content.subarray(0, 100_000))
    }
    await download({ stallMs: 300 })
    expectWhole()
    expect(ranges[1]).toBe('bytes=100000-')
  })

  it('again and again is given up, and what came is kept', async () => {
    storage = (request, response) => {
      if (request.headers.range !== undefined) return void response.destroy()
      serve(request, response, 250_000)
    }
    const error = await failure()
    expect(error.hint).toContain('pml model use tiny')
    expect(readFileSync(`${place()}.part`).length).toBe(250_000)
  })
})

it('a busy server is asked again', async () => {
  storage = (request, response, count) => {
    if (count > 2) return serve(request, response)
    response.writeHead(count === 1 ? 503 : 429)
    response.end()
  }
  await download()
  expectWhole()
})

it('a file that was changed on the way is refused and deleted', async () => {
  storage = (_, response) => {
    response.writeHead(200, { 'content-length': content.length })
    response.end(randomBytes(content.length))
  }
  const error = await failure()
  expect(error.message).toContain('arrived damaged (its checksum is another than the hub says)')
  expect(readdirSync(dirname(place()))).toEqual([])
})

describe('trouble says what to do', () => {
  it('offline', async () => {
    await new Promise((resolve) => server.close(resolve))
    const { message, hint } = await failure()
    expect(message).toBe(`Could not reach ${hub} (ECONNREFUSED).`)
    expect(hint).toContain('Once there is a network, run: pml model use tiny')
    expect(hint).toContain('set HF_ENDPOINT to a mirror')
  })

  it('no such host', async () => {
    expect((await failure({ hub: 'http://no-such-hub.invalid' })).message).toContain('no-such-hub.invalid')
  })

  it('an address that is none', async () => {
    const start = performance.now()
    expect((await failure({ hub: 'mirror.example' })).message).toContain('mirror.example (ERR_INVALID_URL)')
    expect(performance.now() - start).toBeLessThan(1000)
  })

  it('404', async () => {
    const { message, hint } = await failure({ hub: `${hub}/mirror` })
    expect(message).toBe(`${hub}/mirror/someone/tiny/resolve/main/config.json does not exist (HTTP 404).`)
    expect(hint).toContain('HF_ENDPOINT')
  })

  it('a proxy that lets nobody through', async () => {
    storage = (_, response) => {
      response.writeHead(403)
      response.end()
    }
    expect((await failure()).message).toContain('/storage/blob may not be read (HTTP 403)')
  })

  it.runIf(existsSync('/dev/full'))('a full disk', async () => {
    mkdirSync(dirname(place()), { recursive: true })
    symlinkSync('/dev/full', `${place()}.part`)
    const { message, hint } = await failure()
    expect(message).toContain('The disk is full: tiny takes 587 MB')
    expect(hint).toContain('Free some room')
  })

  it('a circle of redirects', async () => {
    storage = (request, response) => {
      response.writeHead(302, { location: request.url! })
      response.end()
    }
    expect((await failure()).message).toContain('HTTP 310')
  })
})

describe('one process at a time', () => {
  const lock = () => join(dirname(place('config.json')), '.download.lock')

  function lockedBy(pid: number, ageMs = 0): void {
    mkdirSync(dirname(lock()), { recursive: true })
    writeFileSync(lock(), String(pid))
    const at = (Date.now() - ageMs) / 1000
    utimesSync(lock(), at, at)
  }

  it('a second one is told who is at it', async () => {
    lockedBy(process.pid)
    expect((await failure()).message).toBe(`tiny is being downloaded already, by process ${process.pid}.`)
    expect(existsSync(lock())).toBe(true)
  })

  it.each([
    ['of a process that is gone', () => lockedBy(2 ** 22 + 5)],
    ['that nobody touched for minutes', () => lockedBy(process.pid, 120_000)],
  ])('a lock %s is taken over', async (_, prepare) => {
    prepare()
    await download()
    expectWhole()
  })

  it('two at once: one fetches, the other is told', async () => {
    const outcomes = await Promise.allSettled([download(), download()])
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expectWhole()
  })
})
