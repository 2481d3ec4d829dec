/** What every client's format promises, over files as people have them and in every form a file may have. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ClientFileError } from '../errors.js'
import type { ClientFormat, Found, Place, PmlEntry, System } from './client-format.js'

export interface ClientFixture {
  readonly client: ClientFormat
  /** A file of test/clients. */
  readonly file: string
  readonly place: Place
  readonly taken: readonly string[]
  readonly left: readonly string[]
}

export const system: System = { platform: 'linux', env: { HOME: '/home/ada' }, cwd: '/home/ada/shop' }

export function fixtureText(file: string): string {
  return readFileSync(join(import.meta.dirname, '../../test/clients', file), 'utf8')
}

const entry: PmlEntry = {
  command: '/usr/bin/node',
  args: ['/opt/pml/bin/pml.js', 'serve', '--config', '/home/ada/pml.config.yaml'],
  env: { A_TOKEN: 'a "quoted" \\ value' },
  inherit: ['FROM_OUTSIDE'],
}

/** The same file as other editors and systems leave it. */
const forms: Readonly<Record<string, (text: string) => string>> = {
  'as it is': (text) => text,
  'with CRLF': (text) => text.replaceAll(/\r?\n/g, '\r\n'),
  'with a byte order mark': (text) => `\ufeff${text}`,
  'with tabs': (text) => text.replaceAll(/^ +/gm, (blanks) => '\t'.repeat(Math.ceil(blanks.length / 2))),
  'without a last line break': (text) => text.trimEnd(),
  'with blank lines at its end': (text) => `${text}\n\n\n`,
}

export function clientContract({ client, file, place, taken, left }: ClientFixture): void {
  const named = (found: readonly Found[], kind: Found['kind']): readonly string[] =>
    found.filter((one) => one.kind === kind).map(({ name }) => name)
  const kept = (text: string): readonly string[] => text.match(/(?:\/\/|\/\*|#) keep: [^\r\n]*/g) ?? []

  describe.each(Object.entries(forms))(`${client.title}: ${file} %s`, (_, form) => {
    const text = form(fixtureText(file))
    const read = (written: string): readonly Found[] => client.read(written, place, system)

    it('tells the servers it can take from those it must leave', () => {
      expect(named(read(text), 'server')).toEqual(taken)
      expect(named(read(text), 'left')).toEqual(left)
    })

    it('puts PML in the place of what was taken, and leaves the rest', () => {
      const after = client.connect(text, place, { remove: taken, put: entry })
      expect(named(read(after), 'server')).toEqual([])
      expect(named(read(after), 'left')).toEqual(left)
      expect(named(read(after), 'pml')).toEqual(['pml'])
      expect(kept(after)).toEqual(kept(text))
      expect(after.startsWith('\ufeff')).toBe(text.startsWith('\ufeff'))
      if (text.includes('\r\n')) expect(after.replaceAll('\r\n', '')).not.toContain('\n')
    })

    it('changes no line that it need not', () => {
      const [first] = taken
      const after = client.connect(text, place, { remove: [first!] }).split('\n')
      const before = text.split('\n')
      const gone = before.length - after.length
      expect(gone).toBeGreaterThan(0)
      let start = 0
      while (after[start] === before[start] && start < after.length) start++
      // All that was cut is one piece, but for the comma before it.
      expect(after.slice(start + 1)).toEqual(before.slice(start + 1 + gone))
    })

    it('connected once more, it stays as it is', () => {
      const once = client.connect(text, place, { remove: taken, put: entry })
      expect(client.connect(once, place, { remove: taken, put: entry })).toBe(once)
    })

    it('an entry of PML that is there keeps what was added to it', () => {
      const { A_TOKEN: _, ...none } = entry.env
      const once = client.connect(text, place, { remove: taken, put: entry })
      const other = { ...entry, command: '/other/node', env: { ...none, B_TOKEN: 'b' } }
      const twice = client.connect(once, place, { remove: [], put: other })
      expect(twice).toContain('/other/node')
      expect(twice).toContain('A_TOKEN')
      expect(twice).toContain('B_TOKEN')
      expect(named(read(twice), 'pml')).toEqual(['pml'])
      const optioned = client.connect(text, place, {
        remove: taken,
        put: { ...entry, args: [entry.args[0]!, 'serve', '--exposure', 'meta', ...entry.args.slice(2)] },
      })
      expect(client.connect(optioned, place, { remove: [], put: entry })).toBe(optioned)
    })

    it('its servers come back as they were written, and what was written since stays', () => {
      const after = client.connect(text, place, { remove: taken, put: entry })
      const isToml = file.endsWith('.toml.txt')
      const since = isToml ? `${after}\n[since]\nstarts = 13\n` : after.replace('{', '{ "since": 13,')
      const restored = client.restore(since, place, text)
      expect(Object.fromEntries(client.entries(restored, place))).toEqual(
        Object.fromEntries(client.entries(text, place)),
      )
      expect(kept(restored).toSorted()).toEqual(kept(text).toSorted())
      if (!isToml) expect(restored).toBe(text.replace('{', '{ "since": 13,'))
      else expect(restored).toMatch(/\r?\n\[since\]\r?\nstarts = 13\r?\n/)
      expect(client.restore(restored, place, text)).toBe(restored)
    })

    it('servers go one by one, from either end', () => {
      for (const order of [taken, taken.toReversed()]) {
        let now = text
        for (const name of order) now = client.connect(now, place, { remove: [name] })
        expect(named(read(now), 'server')).toEqual([])
        expect(named(read(now), 'left')).toEqual(left)
      }
    })
  })

  it(`${client.title}: ${file} cut off anywhere is read, or refused with its line`, () => {
    const text = fixtureText(file)
    for (let end = 0; end < text.length; end += Math.ceil(text.length / 40)) {
      try {
        client.read(text.slice(0, end), place, system)
      } catch (error) {
        expect(error).toBeInstanceOf(ClientFileError)
        expect(error).toMatchObject({ file: place.file, line: expect.any(Number) })
      }
    }
  })

  it(`${client.title}: ${file} with a section that is none is refused`, () => {
    const comment = file.endsWith('.toml.txt') ? '# nothing yet' : '// nothing\n/* yet */ // at all'
    for (const empty of ['', '\ufeff\n', comment]) expect(client.read(empty, place, system)).toEqual([])
    const wrong = file.endsWith('.toml.txt')
      ? `${place.section[0]} = 5`
      : JSON.stringify(place.section.reduceRight<unknown>((value, key) => ({ [key]: value }), ['a list']))
    expect(() => client.read(wrong, place, system)).toThrow(ClientFileError)
  })
}
