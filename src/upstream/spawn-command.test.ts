import { describe, expect, test } from 'vitest'
import { failure } from '../../test/servers/fixtures.js'
import { quoteForBatch, spawnCommand } from './spawn-command.js'

const windows = { platform: 'win32', shell: 'C:\\Windows\\system32\\cmd.exe' } as const

describe('how a program is handed to spawn', () => {
  test('as it is, but for batch files on Windows', () => {
    const args = ['-y', 'a b']
    for (const [file, place] of [
      ['/usr/bin/npx', { platform: 'linux', shell: undefined }],
      ['/odd/name.cmd', { platform: 'darwin', shell: undefined }],
      ['C:\\node\\node.exe', windows],
    ] as const) {
      expect(spawnCommand(file, args, place)).toEqual({ file, args, verbatim: false })
    }
  })

  test('a batch file goes through cmd.exe as one quoted line', () => {
    expect(spawnCommand('C:\\Program Files\\nodejs\\npx.cmd', ['-y', '@a/b', 'x&y'], windows)).toEqual({
      file: windows.shell,
      args: ['/e:ON', '/v:OFF', '/d', '/s', '/c', '""C:\\Program Files\\nodejs\\npx.cmd" "-y" "@a/b" "x&y""'],
      verbatim: true,
    })
    expect(spawnCommand('a.BAT', [], { ...windows, shell: undefined }).file).toBe('cmd.exe')
  })

  test.each([
    ['plain', '"plain"'],
    ['', '""'],
    ['two words', '"two words"'],
    ['a & b | c > d ^ e', '"a & b | c > d ^ e"'],
    ['say "hi"', '"say ""hi"""'],
    ['back\\slash', '"back\\slash"'],
    ['C:\\folder\\', '"C:\\folder\\\\"'],
    ['odd\\"', '"odd\\\\"""'],
    ['%PATH%', '"%%cd:~,%PATH%%cd:~,%"'],
    ['{"key": "v%1"}', '"{""key"": ""v%%cd:~,%1""}"'],
  ])('%j is quoted as %s', (arg, quoted) => {
    expect(quoteForBatch(arg)).toBe(quoted)
  })

  test('quotes stay balanced whatever an argument holds, so nothing of it is read as a command', () => {
    for (const arg of ['"&calc', '""&calc&"', 'a" & calc & "', '\\"&calc', '"""|calc']) {
      const outside = quoteForBatch(arg)
        .split('"')
        .filter((_, at) => at % 2 === 0)
      expect(outside.join('')).toBe('')
    }
  })

  test('a line break cannot be handed over, and that is said', async () => {
    const error = await failure((async () => spawnCommand('x.cmd', ['a\nb'], windows))())
    expect(error).toMatchObject({ code: 'CANNOT_START', hint: expect.stringContaining('args') })
  })
})
