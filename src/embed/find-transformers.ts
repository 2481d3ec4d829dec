import { createRequire } from 'node:module'
import { join } from 'node:path'
import { EmbedderError, shellWord } from '../errors.js'

const packageName = '@huggingface/transformers'
/** The last major that was tried with us. */
const wanted = `${packageName}@4`

/**
 * The runtime of ONNX models is 470 MB, so it is no dependency of ours: whoever chooses such a model installs it, into the
 * data directory or beside us.
 */
export function findTransformers(embedder: string, dataDirectory: string): string {
  for (const from of [join(dataDirectory, 'package.json'), import.meta.url]) {
    try {
      return createRequire(from).resolve(packageName)
    } catch {
      // The next place.
    }
  }
  throw new EmbedderError(
    embedder,
    `it needs the package ${packageName}, which is not installed.`,
    `Run (some 470 MB): npm install --ignore-scripts --prefix ${shellWord(dataDirectory)} ${wanted}`,
  )
}
