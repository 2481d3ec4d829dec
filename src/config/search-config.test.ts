// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references to the environment are what is tested
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createRedact } from '../model/redact.js'
import { loadConfig } from './load-config.js'

let folder: string
let warnings: string[]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pml-search-config-'))
  warnings = []
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function load(search: unknown, strict = false) {
  const file = join(folder, 'pml.config.json')
  writeFileSync(file, JSON.stringify({ search, servers: { a: { command: 'a' } } }))
  return loadConfig({
    file,
    env: { KEY: 'sk-hush-hush', HOST: 'http://127.0.0.1:1' },
    cwd: folder,
    home: folder,
    strict,
    onWarning: (warning) => warnings.push(warning.message.replace(/^.*?: /, '')),
  })
}

const ollama = { url: 'http://127.0.0.1:11434/v1', model: 'nomic-embed-text' }

describe('search', () => {
  it('is static without endpoints when nothing is said', async () => {
    expect((await load(undefined)).search).toEqual({ embedder: 'static', endpoints: [] })
    expect((await load({})).search).toEqual({ embedder: 'static', endpoints: [] })
  })

  it('takes endpoints as they are written, references resolved', async () => {
    const { search } = await load({
      embedder: 'cloud',
      endpoints: {
        ollama,
        cloud: { url: '${HOST}/v1', model: 'm', apiKey: '${KEY}', headers: { timeout: '${KEY:-5}' } },
      },
    })
    expect(search).toEqual({
      embedder: 'cloud',
      endpoints: [
        { name: 'ollama', ...ollama, headers: {}, queryPrefix: '', toolPrefix: '' },
        {
          name: 'cloud',
          url: 'http://127.0.0.1:1/v1',
          model: 'm',
          apiKey: 'sk-hush-hush',
          apiKeyVariable: 'KEY',
          headers: { timeout: 'sk-hush-hush' },
          queryPrefix: '',
          toolPrefix: '',
        },
      ],
    })
  })

  it('keys and secret headers are secrets, written out or not', async () => {
    const { secrets } = await load({
      endpoints: {
        a: { ...ollama, apiKey: 'sk-literal', headers: { 'X-Api-Key': 'head-secret', Accept: 'plain-text' } },
        b: { ...ollama, apiKey: '${KEY}' },
      },
    })
    const redact = createRedact(secrets)
    for (const secret of ['sk-literal', 'head-secret', 'sk-hush-hush'])
      expect(redact(secret)).toBe('[redacted]')
    expect(redact('plain-text')).toBe('plain-text')
  })

  it('a missing variable costs its endpoint at most, and a client may lend it', async () => {
    const config = await load({
      endpoints: {
        a: { ...ollama, apiKey: '${NOPE}' },
        b: { url: '${NOPE_URL}', model: 'm' },
      },
    })
    expect(config.search.endpoints).toEqual([
      { name: 'a', ...ollama, apiKeyVariable: 'NOPE', headers: {}, queryPrefix: '', toolPrefix: '' },
    ])
    expect(config.servers[0]?.disabled).toBe(false)
    expect(config.missingVariables).toEqual([{ name: 'NOPE' }, { name: 'NOPE_URL' }])
    expect(warnings).toEqual([
      'search.endpoints.a.apiKey: expected the environment variable NOPE to be set; until then it is left empty',
      'search.endpoints.b.url: expected the environment variable NOPE_URL to be set; until then the endpoint is left out',
    ])
    await expect(load({ endpoints: { b: { url: '${NOPE_URL}', model: 'm' } } }, true)).rejects.toThrow(
      /NOPE_URL to be set$/,
    )
  })

  it.each([
    [{ embedder: 5 }, 'search.embedder: expected a string, got 5'],
    [{ embedder: '' }, 'search.embedder: expected a text that is not empty'],
    [{ embeder: 'x' }, 'did you mean "embedder"?'],
    [{ endpoints: { a: { model: 'm' } } }, 'search.endpoints.a.url: expected a string, got nothing'],
    [{ endpoints: { a: { url: 'localhost:11434', model: 'm' } } }, 'starts with http:// or https://'],
    [
      { endpoints: { a: { ...ollama, model: ' ' } } },
      'search.endpoints.a.model: expected the name of a model',
    ],
    [{ endpoints: { a: { ...ollama, modle: 'm' } } }, 'search.endpoints.a.modle: unknown key'],
    [{ endpoints: { static: ollama } }, '"static" is reserved'],
    [{ endpoints: { a: { ...ollama, apiKey: 123456 } } }, 'apiKey: expected a string, got a number'],
  ])('%j is a mistake, and named', async (search, named) => {
    await expect(load(search)).rejects.toThrow(named)
  })
})
