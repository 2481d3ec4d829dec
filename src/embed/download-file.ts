import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type FileHandle, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { errorCode } from './error-code.js'
import { BadAnswerError, DamagedError, InterruptedError } from './explain-download.js'
import { followRedirects, type HubAnswer } from './follow-redirects.js'

export interface FileProgress {
  readonly file: string
  readonly bytes: number
  /** Undefined where the server does not say. */
  readonly total: number | undefined
}

export interface FileDownload {
  readonly url: string
  readonly file: string
  readonly target: string
  readonly signal: AbortSignal
  onProgress(progress: FileProgress): void
  readonly stallMs?: number
}

const defaultStallMs = 30_000
/** In a row, without a byte of progress in between. */
const mostFailures = 5
const firstWaitMs = 250
const longestWaitMs = 10_000

/**
 * One file, by way of `<target>.part`. Beside it, `<target>.part.json` names the content it is the beginning of: only if
 * the server still has that content is the rest asked for, else it starts over.
 */
export async function downloadFile(download: FileDownload): Promise<void> {
  const part = `${download.target}.part`
  let arrived = false
  for (let failures = 0; ; ) {
    const before = await sizeOf(part)
    try {
      const checksum = await fetchRest(download, part, before)
      await verify(part, checksum, download.file)
      await rename(part, download.target)
      await rm(`${part}.json`, { force: true })
      return
    } catch (error) {
      download.signal.throwIfAborted()
      const progressed = (await sizeOf(part)) > before
      arrived ||= progressed
      if (!isPassing(error, arrived)) throw error
      failures = progressed ? 1 : failures + 1
      if (failures >= mostFailures) throw error
      const waitMs = Math.min(longestWaitMs, firstWaitMs * 2 ** (failures - 1))
      await sleep(waitMs, undefined, { signal: download.signal }).catch(() =>
        download.signal.throwIfAborted(),
      )
    }
  }
}

/** Resolves with the checksum that the whole must have, once all bytes are there. */
async function fetchRest(download: FileDownload, part: string, size: number): Promise<string | undefined> {
  const begun = await readBegun(part)
  const from = begun === undefined ? 0 : size
  const stall = stallTimer(download.stallMs ?? defaultStallMs)
  const signal = AbortSignal.any([download.signal, stall.signal])
  try {
    const answer = await followRedirects(download.url, signal, (checksum) => rangeOf(begun, from, checksum))
    const { response, checksum } = answer
    if (response.status === 416) {
      await response.body?.cancel()
      // Whole already: the process died before it could say so.
      if (response.headers.get('content-range') === `bytes */${from}`) return checksum ?? begun?.checksum
      return await startOver(download, part, 'less is there than was fetched before')
    }
    if (response.status !== 200 && response.status !== 206) {
      await response.body?.cancel()
      throw new BadAnswerError(response.status, response.url || download.url)
    }
    const start = response.status === 206 ? startOf(response) : 0
    if (start !== 0 && start !== from)
      return await startOver(download, part, 'another range came than was asked')
    const total = totalOf(answer, start)
    await writeBegun(part, { checksum, etag: strongEtag(response) })
    await append(response, { ...download, part, start, total, onBytes: stall.touch })
    return checksum
  } catch (error) {
    // What was aborted for its silence says so, rather than that it was aborted.
    if (stall.signal.aborted && !download.signal.aborted)
      throw new InterruptedError('it fell silent', { cause: error })
    throw error
  } finally {
    stall.end()
  }
}

interface Begun {
  readonly checksum?: string | undefined
  readonly etag?: string | undefined
}

/** The rest, and only of the same content: told by the hub's checksum, else by the server itself (If-Range). */
function rangeOf(
  begun: Begun | undefined,
  from: number,
  checksum: string | undefined,
): Record<string, string> {
  if (begun === undefined || from === 0) return {}
  const range = { range: `bytes=${from}-` }
  if (checksum !== undefined) return checksum === begun.checksum ? range : {}
  return begun.etag === undefined ? {} : { ...range, 'if-range': begun.etag }
}

async function append(
  response: Response,
  to: FileDownload & { part: string; start: number; total: number | undefined; onBytes(): void },
): Promise<void> {
  const handle = await open(to.part, to.start === 0 ? 'w' : 'r+', 0o600)
  let bytes = to.start
  try {
    to.onProgress({ file: to.file, bytes, total: to.total })
    for await (const chunk of bodyOf(response)) {
      await writeAll(handle, chunk, bytes)
      bytes += chunk.length
      to.onBytes()
      to.onProgress({ file: to.file, bytes, total: to.total })
    }
  } finally {
    await handle.close()
  }
  if (to.total !== undefined && bytes < to.total)
    throw new InterruptedError(`it ended after ${bytes} of ${to.total} bytes`)
  if (to.total !== undefined && bytes > to.total) {
    await forget(to.part)
    throw new DamagedError(to.file, `${bytes} bytes came where ${to.total} were announced`)
  }
}

/** What breaks here is the connection; what breaks in writing is the disk. */
async function* bodyOf(response: Response): AsyncGenerator<Uint8Array> {
  if (response.body === null) return
  const reader = response.body.getReader()
  for (;;) {
    const { done, value } = await reader.read().catch((cause: unknown) => {
      throw new InterruptedError('the connection broke', { cause })
    })
    if (done) return
    yield value
  }
}

async function writeAll(handle: FileHandle, chunk: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < chunk.length; ) {
    const { bytesWritten } = await handle.write(chunk, done, chunk.length - done, position + done)
    done += bytesWritten
  }
}

async function verify(part: string, checksum: string | undefined, file: string): Promise<void> {
  if (checksum === undefined) return
  const hash = createHash('sha256')
  await pipeline(createReadStream(part), hash)
  if (hash.digest('hex') === checksum) return
  await forget(part)
  throw new DamagedError(file, 'its checksum is another than the hub says')
}

/** Passing trouble: the next attempt begins at nothing. */
async function startOver(download: FileDownload, part: string, why: string): Promise<never> {
  await forget(part)
  download.onProgress({ file: download.file, bytes: 0, total: undefined })
  throw new InterruptedError(why)
}

async function forget(part: string): Promise<void> {
  await rm(part, { force: true })
  await rm(`${part}.json`, { force: true })
}

async function readBegun(part: string): Promise<Begun | undefined> {
  try {
    return JSON.parse(await readFile(`${part}.json`, 'utf8'))
  } catch {
    return undefined
  }
}

async function writeBegun(part: string, begun: Begun): Promise<void> {
  await writeFile(`${part}.json`, JSON.stringify(begun), { mode: 0o600 })
}

async function sizeOf(file: string): Promise<number> {
  return stat(file).then(
    ({ size }) => size,
    () => 0,
  )
}

function startOf(response: Response): number {
  return Number(/^bytes (\d+)-/.exec(response.headers.get('content-range') ?? '')?.[1] ?? Number.NaN)
}

/** A body that was compressed on the way has another length than the file. */
function totalOf({ response, size }: HubAnswer, start: number): number | undefined {
  if (size !== undefined) return size
  const range = /^bytes \d+-\d+\/(\d+)$/.exec(response.headers.get('content-range') ?? '')
  if (range !== null) return Number(range[1])
  const length = response.headers.get('content-length')
  if (length === null || response.headers.get('content-encoding') !== null) return undefined
  return start + Number(length)
}

/** A weak one does not promise the same bytes (RFC 9110, section 13.1.5). */
function strongEtag(response: Response): string | undefined {
  const etag = response.headers.get('etag')
  return etag === null || etag.startsWith('W/') ? undefined : etag
}

/** Trying again may help. */
const nobodyThere = new Set([
  'ERR_INVALID_URL',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ECONNREFUSED',
  'ENETUNREACH',
  'EHOSTUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
])

function isPassing(error: unknown, arrived: boolean): boolean {
  if (error instanceof BadAnswerError) return error.status === 429 || error.status >= 500
  if (error instanceof InterruptedError) return true
  // Where nobody is there from the start, a person is told at once; in the middle it is a cable that was pulled.
  return error instanceof TypeError && (arrived || !nobodyThere.has(errorCode(error) ?? ''))
}

function stallTimer(ms: number): { signal: AbortSignal; touch(): void; end(): void } {
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(), ms)
  return { signal: controller.signal, touch: () => void timer.refresh(), end: () => clearTimeout(timer) }
}
