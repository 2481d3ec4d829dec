import { DownloadError, PmlError } from '../errors.js'
import { errorCode } from './error-code.js'
import type { KnownModel } from './known-models.js'

/** An answer that is no file. */
export class BadAnswerError extends Error {
  constructor(
    readonly status: number,
    readonly url: string,
  ) {
    super(`HTTP ${status}`)
  }
}

/** The server or the way to it faltered; what came is kept. */
export class InterruptedError extends Error {}

/** All of it came, and it is not what it should be. It was deleted. */
export class DamagedError extends Error {
  constructor(
    readonly file: string,
    readonly why: string,
  ) {
    super(`${file}: ${why}`)
  }
}

const stays = 'The embedder in use stays in use.'

/** Why a model did not arrive, and what to do. */
export function explainDownload(error: unknown, model: KnownModel, hub: string): PmlError {
  if (error instanceof PmlError) return error
  const again = `pml model use ${model.name}`
  const explained = (message: string, hint: string) => new DownloadError(message, hint, { cause: error })
  if (error instanceof BadAnswerError) return explainStatus(error, hub, again)
  if (error instanceof DamagedError) {
    return explained(
      `${error.file} of ${model.name} arrived damaged (${error.why}) and was deleted.`,
      `Run again: ${again}. If it stays so, HF_ENDPOINT (now ${hub}) is a mirror that changes files.`,
    )
  }
  if (error instanceof InterruptedError) {
    return explained(
      `The download of ${model.name} from ${hub} broke off: ${error.message}.`,
      `Run again: ${again}; it goes on where it ended. ${stays}`,
    )
  }
  const code = errorCode(error)
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return explained(
      `The disk is full: ${model.name} takes ${Math.round(model.bytes / 1e6)} MB.`,
      `Free some room, then run again: ${again}. What is there already is not fetched again.`,
    )
  }
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') {
    return explained(
      `${model.name} cannot be written: ${(error as Error).message}.`,
      'Make the data directory writable.',
    )
  }
  return explained(
    `Could not reach ${hub} (${code ?? (error as Error).message}).`,
    `Once there is a network, run: ${again}; it goes on where it ended. Or set HF_ENDPOINT to a mirror. ${stays}`,
  )
}

function explainStatus(error: BadAnswerError, hub: string, again: string): DownloadError {
  const { status, url } = error
  const explained = (message: string, hint: string) => new DownloadError(message, hint, { cause: error })
  if (status === 404) {
    return explained(
      `${withoutQuery(url)} does not exist (HTTP 404).`,
      `Check HF_ENDPOINT (now ${hub}): a mirror may lack this model. ${stays}`,
    )
  }
  if (status === 401 || status === 403) {
    return explained(
      `${withoutQuery(url)} may not be read (HTTP ${status}).`,
      `A proxy, or a mirror that wants a sign-in? Set HF_ENDPOINT to another one. ${stays}`,
    )
  }
  return explained(
    `${withoutQuery(url)} answered with HTTP ${status}.`,
    `Run again later: ${again}; it goes on where it ended. ${stays}`,
  )
}

/** The addresses of the storage carry a signature. */
function withoutQuery(url: string): string {
  return url.split('?')[0]!
}
