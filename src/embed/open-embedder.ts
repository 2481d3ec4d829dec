import { EmbedderError } from '../errors.js'
import { closestName } from '../model/closest-name.js'
import type { EndpointConfig } from '../model/config.js'
import type { Embedder } from './embedder.js'
import { createEndpointEmbedder } from './endpoint-embedder.js'
import { findTransformers } from './find-transformers.js'
import { knownModels } from './known-models.js'
import { isDownloaded, modelsDirectory } from './model-files.js'
import { createOnnxEmbedder } from './onnx-embedder.js'
import { createStaticEmbedder } from './static-embedder.js'

export interface EmbedderPlaces {
  readonly dataDirectory: string
  readonly endpoints: readonly EndpointConfig[]
}

/** The embedder of `search.embedder`; undefined for `none`. Opens nothing that takes time: that begins with the first text. */
export function openEmbedder(choice: string, places: EmbedderPlaces): Embedder | undefined {
  const { dataDirectory, endpoints } = places
  if (choice === 'none') return undefined
  if (choice === 'static') return createStaticEmbedder()
  // What a person has written comes before what we know.
  const endpoint = endpoints.find(({ name }) => name === choice)
  if (endpoint !== undefined) return createEndpointEmbedder(endpoint)
  const model = knownModels.find(({ name }) => name === choice)
  if (model === undefined) throw unknownEmbedder(choice, embedderNames(places))
  if (!isDownloaded(model, dataDirectory)) {
    throw new EmbedderError(choice, 'it is not downloaded.', `Run: pml model use ${choice}`)
  }
  const transformers = findTransformers(choice, dataDirectory)
  return createOnnxEmbedder({ model, directory: modelsDirectory(dataDirectory), transformers })
}

/** All that `search.embedder` may be. */
export function embedderNames({ endpoints }: Pick<EmbedderPlaces, 'endpoints'>): readonly string[] {
  const names = [
    'static',
    'none',
    ...knownModels.map(({ name }) => name),
    ...endpoints.map(({ name }) => name),
  ]
  return [...new Set(names)]
}

export function unknownEmbedder(choice: string, names: readonly string[]): EmbedderError {
  const closest = closestName(choice, names)
  return new EmbedderError(
    choice,
    `there is none of this name. There are: ${names.join(', ')}.`,
    closest === undefined
      ? 'Choose one of them with: pml model use NAME. Endpoints are added under search.endpoints.'
      : `Did you mean: pml model use ${closest}`,
  )
}
