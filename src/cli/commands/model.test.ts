// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references to the environment are what is tested
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { knownModels } from '../../embed/known-models.js'
import { writeTinyModel } from '../../embed/tiny-onnx-model.contract.js'
import { main } from '../main.js'

const bge = knownModels[0]!
let folder: string
let home: string
let file: string
let servers: Server[]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pml-model-'))
  home = join(folder, 'home')
  mkdirSync(home)
  file = join(folder, 'pml.config.yaml')
  servers = []
})
afterEach(() => {
  for (const server of servers) {
    server.closeAllConnections()
    server.close()
  }
  rmSync(folder, { recursive: true, force: true })
})

async function listen(answer: RequestListener): Promise<string> {
  const server = createServer(answer)
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function pml(argv: readonly string[], { isTTY = false, env = {} } = {}) {
  const output = { stdout: '', stderr: '' }
  const code = await main(argv, {
    stdin: Object.assign(Readable.from([]), { isTTY: false }),
    stdout: { write: (text) => append('stdout', text) },
    stderr: { isTTY, write: (text) => append('stderr', text) },
    env: { PML_HOME: home, PATH: process.env.PATH, ...env },
    cwd: folder,
  })
  return { code, ...output }

  function append(to: keyof typeof output, text: string): void {
    output[to] += text
  }
}

const withEndpoint = (url: string, more = '') => `# mine
search:
  endpoints:
    local: { url: "${url}/v1", model: nomic-embed-text${more} }  # Ollama
servers:
  a: { command: a }
`

const vectors: RequestListener = (request, response) => {
  request.resume()
  request.once('end', () => response.end('{"data": [{"index": 0, "embedding": [3, 4]}]}'))
}

describe('pml model', () => {
  it('lists what there is and what is in use, without showing a secret', async () => {
    writeFileSync(file, withEndpoint('http://u:hush-hush@127.0.0.1:1', ', apiKey: "${KEY}"'))
    const { code, stdout, stderr } = await pml(['model'])
    expect(code).toBe(0)
    expect(stdout).toMatchInlineSnapshot(`
      "  NAME    STATE                   WHAT
      * static  built in                nothing to download, a few microseconds per text
        none    built in                words alone
        bge-m3  not downloaded, 587 MB  more than 100 languages; at least 600 MB of memory
        local   endpoint                nomic-embed-text at http://u:[redacted]@127.0.0.1:1/v1

      Choose with: pml model use NAME
      "
    `)
    expect(stderr).toContain('expected the environment variable KEY to be set')
  })

  it('lists for programs', async () => {
    writeFileSync(file, 'search: { embedder: bge-m3 }\n')
    mkdirSync(join(home, 'models', bge.repo, 'onnx'), { recursive: true })
    writeFileSync(join(home, 'models', bge.repo, 'onnx/model_quantized.onnx.part'), 'x'.repeat(5_000_000))
    const listed = JSON.parse((await pml(['model', '--json'])).stdout)
    expect(listed).toMatchObject({ inUse: 'bge-m3', config: file })
    expect(listed.models[2]).toMatchObject({
      name: 'bge-m3',
      inUse: true,
      downloaded: false,
      bytesOnDisk: 5_000_000,
      state: '5.0 MB of 587 MB',
    })
  })

  it('says when the one in use is none', async () => {
    writeFileSync(file, 'search: { embedder: word2vec }\n')
    expect((await pml(['model'])).stdout).toContain('names "word2vec", which there is not')
  })

  it.each([
    [['model', 'bge-m3'], 'Unexpected: bge-m3.', 'Did you mean: pml model use bge-m3'],
    [['model', 'usee', 'x'], 'Unexpected: usee.', 'Did you mean: pml model use NAME'],
    [['model', 'use'], 'Expected a name after use.', 'List them with: pml model'],
    [['model', 'use', 'bge-m33'], 'There are: static, none, bge-m3.', 'Did you mean: pml model use bge-m3'],
  ])('%j is refused', async (argv, message, hint) => {
    writeFileSync(file, 'servers: {}\n')
    const { code, stderr } = await pml(argv)
    expect(code).not.toBe(0)
    expect(stderr).toContain(message)
    expect(stderr).toContain(hint)
    expect(readFileSync(file, 'utf8')).toBe('servers: {}\n')
  })
})

describe('pml model use', () => {
  it('an endpoint that works is written down, and the rest of the file stays', async () => {
    const before = withEndpoint(await listen(vectors))
    writeFileSync(file, before)
    const { code, stdout } = await pml(['model', 'use', 'local'])
    expect(code).toBe(0)
    expect(stdout).toMatch(
      /^local works: 2 dimensions, [\d.]+ ms for one text\.\nWrote search\.embedder: local to /,
    )
    expect(readFileSync(file, 'utf8')).toBe(before.replace('Ollama\n', 'Ollama\n  embedder: local\n'))
    expect((await pml(['model'])).stdout).toContain('* local')
  })

  it('an endpoint that does not is not', async () => {
    const url = await listen((_, response) => {
      response.writeHead(401)
      response.end('{"error": {"message": "bad key sk-hush-hush"}}')
    })
    const before = withEndpoint(url, ', apiKey: "${KEY}"')
    writeFileSync(file, before)
    const { code, stderr } = await pml(['model', 'use', 'local'], { env: { KEY: 'sk-hush-hush' } })
    expect(code).toBe(1)
    expect(stderr).toContain('The environment variable KEY holds a key that is not taken')
    expect(stderr).not.toContain('sk-hush-hush')
    expect(readFileSync(file, 'utf8')).toBe(before)
  })

  it('none and static need nothing, and tell programs what was done', async () => {
    writeFileSync(file, 'servers: {}\n')
    expect((await pml(['model', 'use', 'none'])).code).toBe(0)
    expect(readFileSync(file, 'utf8')).toBe('servers: {}\nsearch:\n  embedder: none\n')
    const { stdout } = await pml(['model', 'use', 'static', '--json'])
    expect(JSON.parse(stdout)).toEqual({
      embedder: 'static',
      file,
      id: expect.any(String),
      dimensions: expect.any(Number),
      ms: expect.any(Number),
    })
    expect(readFileSync(file, 'utf8')).toContain('embedder: static')
  })

  it('makes a configuration where there is none, and says what that means', async () => {
    const { stdout } = await pml(['model', 'use', 'static'])
    expect(stdout).toContain('the demo servers stay')
    expect(readFileSync(join(home, 'pml.config.yaml'), 'utf8')).toBe('search:\n  embedder: static\n')
  })

  it.each([
    [['--config', 'team.json'], {}],
    [[], { PML_CONFIG: 'team.json' }],
  ])('makes the file that was named, by %j %j', async (option, env) => {
    const listed = await pml(['model', ...option], { env })
    expect(listed.stderr).toContain('expected a configuration file, but there is none')
    const { code } = await pml(['model', 'use', 'none', ...option], { env })
    expect(code).toBe(0)
    expect(JSON.parse(readFileSync(join(folder, 'team.json'), 'utf8'))).toEqual({
      search: { embedder: 'none' },
    })
  })

  it.skipIf(process.env.PML_TRANSFORMERS !== undefined)(
    'a model without its runtime is not downloaded in vain: the command that installs it is told',
    async () => {
      let asked = 0
      const hub = await listen((_, response) => {
        asked++
        response.end()
      })
      const { code, stderr } = await pml(['model', 'use', 'bge-m3'], { env: { HF_ENDPOINT: hub } })
      expect(code).toBe(1)
      expect(stderr).toContain(`npm install --ignore-scripts --prefix ${home} @huggingface/transformers@4`)
      expect(asked).toBe(0)
      expect(existsSync(join(home, 'pml.config.yaml'))).toBe(false)
    },
  )
})

/** A tiny model in the place of the large one; everything else is as in earnest. `npm run test:models` runs it. */
describe.skipIf(process.env.PML_TRANSFORMERS === undefined)('pml model use bge-m3, with its runtime', () => {
  beforeEach(() => {
    symlinkSync(join(process.env.PML_TRANSFORMERS!, 'node_modules'), join(home, 'node_modules'))
    writeFileSync(file, 'servers: {}\n')
  })

  const hubOf = (models: string): RequestListener => {
    return ({ url }, response) => {
      const place = join(models, url!.replace('/resolve/main/', '/'))
      if (!existsSync(place)) {
        response.writeHead(404)
        return response.end()
      }
      const content = readFileSync(place)
      response.writeHead(200, { 'content-length': content.length, etag: '"1"' })
      return response.end(content)
    }
  }

  it('downloads, tries it out and writes it down', async () => {
    const models = join(folder, 'hub')
    writeTinyModel(models, bge)
    const env = { HF_ENDPOINT: await listen(hubOf(models)) }
    const { code, stdout, stderr } = await pml(['model', 'use', 'bge-m3'], { env })
    expect([code, stderr]).toEqual([0, expect.stringContaining('onnx/model_quantized.onnx')])
    expect(stderr).toContain('100 %')
    expect(stdout).toContain('bge-m3 works: 1024 dimensions')
    expect(readFileSync(file, 'utf8')).toContain('embedder: bge-m3')
    expect((await pml(['model'])).stdout).toMatch(/\* bge-m3 +downloaded/)
  })

  it('weights that are no weights are told, and nothing is written down', async () => {
    const models = join(folder, 'hub')
    writeTinyModel(models, bge)
    cpSync(join(models, bge.repo, 'config.json'), join(models, bge.repo, 'onnx/model_quantized.onnx'))
    const env = { HF_ENDPOINT: await listen(hubOf(models)) }
    const { code, stderr } = await pml(['model', 'use', 'bge-m3'], { env, isTTY: true })
    expect(code).toBe(1)
    expect(stderr).toContain('If its files are damaged, delete')
    expect(readFileSync(file, 'utf8')).toBe('servers: {}\n')
  })

  it('offline it says so', async () => {
    const { stderr } = await pml(['model', 'use', 'bge-m3'], { env: { HF_ENDPOINT: 'http://127.0.0.1:2' } })
    expect(stderr).toContain('Could not reach http://127.0.0.1:2')
    expect(stderr).toContain('set HF_ENDPOINT to a mirror')
  })
})
