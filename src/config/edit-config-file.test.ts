// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references to the environment are what is tested
import {
  chmodSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ConfigError, UsageError } from '../errors.js'
import { addServerToFile, removeServerFromFile, setInFile } from './edit-config-file.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pml-edit-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const github = { command: 'npx', args: ['-y', 'server-github'], env: { TOKEN: '${GITHUB_TOKEN}' } }
const place = (name: string) => join(folder, name)

async function edit(name: string, before: string, change: (file: string) => Promise<void>): Promise<string> {
  writeFileSync(place(name), before)
  await change(place(name))
  return readFileSync(place(name), 'utf8')
}
const add = (file: string) => addServerToFile(file, 'github', github)
const remove = (file: string) => removeServerFromFile(file, 'b')

describe('YAML', () => {
  it('a new file is its owner’s alone', async () => {
    const file = join(folder, 'deep', 'pml.config.yaml')
    await add(file)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readFileSync(file, 'utf8')).toMatchInlineSnapshot(`
      "servers:
        github:
          command: npx
          args:
            - -y
            - server-github
          env:
            TOKEN: \${GITHUB_TOKEN}
      "
    `)
  })

  it('adding keeps comments, order, indents and references', async () => {
    const before = `# my servers
exposure: meta   # small window

servers:
    # the files
    files:
        command: npx
        args:
        - -y
        - "server-filesystem"
        - a very long argument ${'that must not be folded '.repeat(6)}
    web: {url: "https://x.example/\${PATH_PART}"}

# the end
`
    const after = await edit('a.yaml', before, add)
    expect(after).toMatchInlineSnapshot(`
      "# my servers
      exposure: meta   # small window

      servers:
          # the files
          files:
              command: npx
              args:
              - -y
              - "server-filesystem"
              - a very long argument that must not be folded that must not be folded that must not be folded that must not be folded that must not be folded that must not be folded 
          web: {url: "https://x.example/\${PATH_PART}"}
          github:
              command: npx
              args:
                - -y
                - server-github
              env:
                  TOKEN: \${GITHUB_TOKEN}

      # the end
      "
    `)
    expect(after.replace(/ {4}github:[\s\S]*GITHUB_TOKEN\}\n/, '')).toBe(before)
  })

  it.each([
    '',
    '# only a comment\n',
    'servers:\n',
    'servers: {}\n',
    'exposure: meta\n',
  ])('adds to %j', async (before) => {
    const after = await edit('a.yaml', before, add)
    expect(after).toContain('servers:\n  github:\n    command: npx\n')
    for (const line of before.split('\n')) if (!line.startsWith('servers')) expect(after).toContain(line)
  })

  it('adds to mcpServers where the file has that', async () => {
    expect(await edit('a.yaml', 'mcpServers:\n  a:\n    command: x\n', add)).toContain('mcpServers:\n  a:')
  })

  it('removing takes one server and leaves the rest', async () => {
    const before =
      'servers:\n  # one\n  a:\n    command: a # yes\n  b:\n    command: b\n  # three\n  c:\n    command: c\n'
    expect(await edit('a.yaml', before, remove)).toBe(
      'servers:\n  # one\n  a:\n    command: a # yes\n  # three\n  c:\n    command: c\n',
    )
  })
})

describe('JSON', () => {
  it('a new file is as clients write it', async () => {
    await add(place('new.json'))
    expect(JSON.parse(readFileSync(place('new.json'), 'utf8'))).toEqual({ mcpServers: { github } })
  })

  it('adding touches nothing but the place of the new server', async () => {
    const before = `{
\t// mine
\t"mcpServers": {
\t\t"files": { "command": "npx", "args": ["-y",   "x"] } // odd spacing stays
\t},
\t"theme" : "dark"
}
`
    const after = await edit('a.json', before, add)
    expect(after).toMatchInlineSnapshot(`
      "{
      	// mine
      	"mcpServers": {
      		"files": { "command": "npx", "args": ["-y",   "x"] }, // odd spacing stays
      		"github": {
      			"command": "npx",
      			"args": [
      				"-y",
      				"server-github"
      			],
      			"env": {
      				"TOKEN": "\${GITHUB_TOKEN}"
      			}
      		}
      	},
      	"theme" : "dark"
      }
      "
    `)
  })

  it.each([
    '{}',
    '{ "mcpServers": {} }',
    '{ "mcpServers": null }',
    '{"theme": 1}',
    '{"mcpServers":{"a":{"command":"a"},},}',
    '',
  ])('adds to %j', async (before) => {
    await edit('a.json', before, add)
    await removeServerFromFile(place('a.json'), 'github')
    await expect(removeServerFromFile(place('a.json'), 'github')).rejects.toThrow(UsageError)
  })

  const three = `{
  "mcpServers": {
    "a": { "command": "a" }, // first
    "b": { "command": "b" }, // second
    // about c
    "c": { "command": "c" } // third
  }
}
`
  it.each([
    ['a', three.replace('    "a": { "command": "a" }, // first\n', '')],
    ['b', three.replace('    "b": { "command": "b" }, // second\n', '')],
  ])('removing %s leaves the rest as it was', async (name, expected) => {
    expect(await edit('a.json', three, (file) => removeServerFromFile(file, name))).toBe(expected)
  })

  it('removing the last entry takes the comma before it too', async () => {
    const after = await edit('a.json', three, (file) => removeServerFromFile(file, 'c'))
    expect(after).toMatchInlineSnapshot(`
      "{
        "mcpServers": {
          "a": { "command": "a" }, // first
          "b": { "command": "b" } // second
          // about c
        }
      }
      "
    `)
  })

  it('removes from one line', async () => {
    const line = '{"mcpServers":{"a":{"command":"a"},"b":{"command":"b"},"c":{"command":"c"}}}'
    expect(JSON.parse(await edit('a.json', line, remove)).mcpServers).toEqual({
      a: { command: 'a' },
      c: { command: 'c' },
    })
  })
})

describe('setting search.embedder', () => {
  const set = (file: string) => setInFile(file, 'search', 'embedder', 'bge-m3')

  it.each([
    ['', 'search:\n  embedder: bge-m3\n'],
    ['# mine\n', '# mine\nsearch:\n  embedder: bge-m3\n'],
    ['servers:\n    a: { command: a }', 'servers:\n    a: { command: a }\nsearch:\n    embedder: bge-m3\n'],
    [
      'search:\n  embedder: static # for now\nprefix: none\n',
      'search:\n  embedder: bge-m3 # for now\nprefix: none\n',
    ],
    ['search:\n  embedder: "static"\n', 'search:\n  embedder: bge-m3\n'],
    ['search:\n  embedder:\n', 'search:\n  embedder: bge-m3\n'],
    ['search: {embedder: static}  # x\n', 'search: {embedder: bge-m3}  # x\n'],
    [
      'search:\n  # mine\n  endpoints:\n    a: {url: "http://x", model: m}  # local\n\nprefix: none\n',
      'search:\n  # mine\n  endpoints:\n    a: {url: "http://x", model: m}  # local\n  embedder: bge-m3\n\nprefix: none\n',
    ],
    [
      'search:   # nothing yet\nprefix: none\n',
      'search:   # nothing yet\n  embedder: bge-m3\nprefix: none\n',
    ],
    ['search: {}\n', 'search: { embedder: bge-m3 }\n'],
    ['search: ~\n', 'search:\n  embedder: bge-m3\n'],
    ['search:\n  # soon\nprefix: none\n', 'search:\n  embedder: bge-m3\n  # soon\nprefix: none\n'],
    ['{ prefix: none }\n', '{ prefix: none, search: { embedder: bge-m3 } }\n'],
    ['prefix: none\n...\n', 'prefix: none\nsearch:\n  embedder: bge-m3\n...\n'],
    ['search:\n  embedder: |\n    static\n', 'search:\n  embedder: |-\n    bge-m3\n'],
  ])('in YAML %j', async (before, after) => {
    expect(await edit('a.yaml', before, set)).toBe(after)
  })

  it.each([
    ['', '{\n  "search": {\n    "embedder": "bge-m3"\n  }\n}\n'],
    ['{"search":{"embedder":"static"},"prefix":"none"}', '{"search":{"embedder":"bge-m3"},"prefix":"none"}'],
    [
      '{\n  // mine\n  "search": { "embedder": "static" /* for now */ },\n}\n',
      '{\n  // mine\n  "search": { "embedder": "bge-m3" /* for now */ },\n}\n',
    ],
    [
      '{\n\t"prefix": "none" // one\n}\n',
      '{\n\t"prefix": "none", // one\n\t"search": {\n\t\t"embedder": "bge-m3"\n\t}\n}\n',
    ],
    ['{\n  "search": null\n}\n', '{\n  "search": {\n    "embedder": "bge-m3"\n  }\n}\n'],
  ])('in JSON %j', async (before, after) => {
    expect(await edit('a.json', before, set)).toBe(after)
  })

  it('a value that YAML would read as something else is quoted', async () => {
    const set = (file: string) => setInFile(file, 'search', 'embedder', 'no: 5 #')
    expect(await edit('a.yaml', 'search:\n  embedder: static\n', set)).toBe(
      'search:\n  embedder: "no: 5 #"\n',
    )
  })

  it.each([
    '- a\n',
    'search: 5\n',
    'search: [\n',
    'a: &x { embedder: static, endpoints: {} }\nsearch: *x\n',
  ])('leaves %j as it is, and says so', async (before) => {
    await expect(edit('a.yaml', before, set)).rejects.toThrow(ConfigError)
    expect(readFileSync(place('a.yaml'), 'utf8')).toBe(before)
  })
})

it('says what is already there, what is not, and the closest name', async () => {
  writeFileSync(place('a.yaml'), 'servers:\n  github:\n    command: x\n')
  await expect(add(place('a.yaml'))).rejects.toThrow('has a server "github" already')
  await expect(removeServerFromFile(place('a.yaml'), 'gihtub')).rejects.toMatchObject({
    hint: 'Did you mean "github"?',
  })
  await expect(addServerToFile(place('a.yaml'), 'a:b', github)).rejects.toThrow('without ":"')
})

it('a broken file is left as it is', async () => {
  writeFileSync(place('a.json'), '{"mcpServers": ')
  await expect(add(place('a.json'))).rejects.toThrow(ConfigError)
  expect(readFileSync(place('a.json'), 'utf8')).toBe('{"mcpServers": ')
})

it('keeps the mode of the file, a link a link, and leaves no temporary file', async () => {
  writeFileSync(place('real.yaml'), 'servers:\n  a:\n    command: a\n')
  chmodSync(place('real.yaml'), 0o640)
  symlinkSync(place('real.yaml'), place('link.yaml'))
  await add(place('link.yaml'))
  expect(lstatSync(place('link.yaml')).isSymbolicLink()).toBe(true)
  expect(statSync(place('real.yaml')).mode & 0o777).toBe(0o640)
  expect(readdirSync(folder).sort()).toEqual(['link.yaml', 'real.yaml'])
})
