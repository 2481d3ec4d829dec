import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { downloadFile, type FileProgress } from './download-file.js'
import { explainDownload } from './explain-download.js'
import type { KnownModel } from './known-models.js'
import { modelFile, modelsDirectory } from './model-files.js'
import { takeDownloadLock } from './take-download-lock.js'

export const defaultHub = 'https://huggingface.co'

export interface DownloadOptions {
  readonly dataDirectory: string
  /** The hub's address: HF_ENDPOINT, as Hugging Face's own tools read it. */
  readonly hub: string
  readonly signal: AbortSignal
  onProgress(progress: FileProgress): void
  /** A connection that says nothing for so long is cut, and taken up again. */
  readonly stallMs?: number
}

/**
 * Fetches what is missing of a model. What breaks off is taken up where it ended, now or the next time; a file gets its
 * name when it is whole and its checksum is right. One process at a time.
 */
export async function downloadModel(model: KnownModel, options: DownloadOptions): Promise<void> {
  const { dataDirectory, hub } = options
  const missing = model.files.filter((file) => !existsSync(modelFile(model, file, dataDirectory)))
  if (missing.length === 0) return
  const folder = join(modelsDirectory(dataDirectory), model.repo)
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const release = await takeDownloadLock(folder, model.name)
    try {
      for (const file of missing) {
        const target = modelFile(model, file, dataDirectory)
        await mkdir(dirname(target), { recursive: true, mode: 0o700 })
        await downloadFile({ ...options, file, target, url: addressOf(model, file, hub) })
      }
    } finally {
      await release()
    }
  } catch (error) {
    options.signal.throwIfAborted()
    throw explainDownload(error, model, hub)
  }
}

function addressOf({ repo, revision }: KnownModel, file: string, hub: string): string {
  return `${hub.replace(/\/+$/, '')}/${repo}/resolve/${revision}/${file}`
}
