import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { EmbedderError } from '../errors.js'
import type { EndpointConfig } from '../model/config.js'
import { knownModels } from './known-models.js'
import { modelFile } from './model-files.js'
import { embedderNames, openEmbedder } from './open-embedder.js'

let dataDirectory: string
beforeEach(() => {
  dataDirectory = mkdtempSync(join(tmpdir(), 'pml-open-'))
})
afterEach(() => rmSync(dataDirectory, { recursive: true, force: true }))

const ollama: EndpointConfig = {
  name: 'ollama',
  url: 'http://127.0.0.1:11434/v1',
  model: 'nomic-embed-text',
  headers: {},
  queryPrefix: '',
  toolPrefix: '',
}
const open = (choice: string, endpoints = [ollama]) => openEmbedder(choice, { dataDirectory, endpoints })

function failure(choice: string): EmbedderError {
  try {
    open(choice)
  } catch (error) {
    expect(error).toBeInstanceOf(EmbedderError)
    return error as EmbedderError
  }
  throw new Error('expected an EmbedderError')
}

it('opens what is named, and nothing for none', () => {
  expect(open('none')).toBeUndefined()
  expect(open('static')?.id).toBe('static-1')
  expect(open('ollama')?.id).toBe('127.0.0.1:11434/nomic-embed-text')
})

it('an endpoint comes before a model of the same name', () => {
  expect(open('bge-m3', [{ ...ollama, name: 'bge-m3' }])?.id).toBe('127.0.0.1:11434/nomic-embed-text')
})

it('a name that is none lists those that are, and the closest', () => {
  expect(failure('olama').message).toContain('There are: static, none, bge-m3, ollama.')
  expect(failure('olama').hint).toBe('Did you mean: pml model use ollama')
  expect(failure('word2vec').hint).toContain('search.endpoints')
  expect(embedderNames({ endpoints: [] })).toEqual(['static', 'none', 'bge-m3'])
})

it('a model that is not downloaded says how, also where half of it is there', () => {
  expect(failure('bge-m3').hint).toBe('Run: pml model use bge-m3')
  const [model] = knownModels
  for (const file of model!.files.slice(0, -1)) {
    const place = modelFile(model!, file, dataDirectory)
    mkdirSync(dirname(place), { recursive: true })
    writeFileSync(place, '{}')
  }
  expect(failure('bge-m3').message).toContain('it is not downloaded')
})
