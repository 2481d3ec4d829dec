import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { KnownModel } from './known-models.js'

/** Where all models are: `<data directory>/models/<repo>/<file>`, as transformers.js looks for them. */
export function modelsDirectory(dataDirectory: string): string {
  return join(dataDirectory, 'models')
}

export function modelFile(model: KnownModel, file: string, dataDirectory: string): string {
  return join(modelsDirectory(dataDirectory), model.repo, file)
}

/** A file has its name only once it is whole and checked, so being there is enough. */
export function isDownloaded(model: KnownModel, dataDirectory: string): boolean {
  return model.files.every((file) => existsSync(modelFile(model, file, dataDirectory)))
}

/** What is there, what has only begun included. */
export function bytesOnDisk(model: KnownModel, dataDirectory: string): number {
  let bytes = 0
  for (const file of model.files) {
    const place = modelFile(model, file, dataDirectory)
    for (const one of [place, `${place}.part`]) bytes += statSync(one, { throwIfNoEntry: false })?.size ?? 0
  }
  return bytes
}
