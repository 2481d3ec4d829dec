import { expect, it } from 'vitest'
import { diffText } from './diff-text.js'
import { createHideSecrets } from './hide-secrets.js'
import { showUnseen } from './show-unseen.js'

it('shows what goes and what comes, with line numbers and nothing around it', () => {
  expect(diffText('a\nb\nc\nd\ne\n', 'a\nx\nc\ne\nf\n')).toEqual([
    '@@ -2 +2 @@',
    '-b',
    '+x',
    '@@ -4 +3,0 @@',
    '-d',
    '@@ -5,0 +5 @@',
    '+f',
  ])
})

it('a new file is all new, the same file is no difference', () => {
  expect(diffText('', 'a\nb\n')).toEqual(['@@ -0,0 +1,2 @@', '+a', '+b'])
  expect(diffText('a\r\nb\r\n', 'a\r\nb\r\n')).toEqual([])
})

it('far apart in a file of a hundred thousand lines, changes are found and nothing else is shown', () => {
  const lines = Array.from({ length: 100_000 }, (_, index) => `line ${index}`)
  const after = lines.with(500, 'x').with(99_000, 'y')
  expect(diffText(lines.join('\n'), after.join('\n'))).toEqual([
    '@@ -501 +501 @@',
    '-line 500',
    '+x',
    '@@ -99001 +99001 @@',
    '-line 99000',
    '+y',
  ])
})

it('any two texts: the diff applied to the first gives the second', () => {
  let seed = 7
  const random = (below: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return seed % below
  }
  const text = (): string[] => Array.from({ length: random(12) }, () => 'abc'[random(3)]!)
  for (let round = 0; round < 500; round++) {
    const [before, after] = [text(), text()]
    expect(apply(before, diffText(before.join('\n'), after.join('\n')))).toEqual(after)
  }
})

function apply(before: readonly string[], diff: readonly string[]): readonly string[] {
  const result: string[] = []
  let at = 0
  for (const line of diff) {
    const [, start, count] = /^@@ -(\d+)(?:,(\d+))? /.exec(line) ?? []
    if (start !== undefined) {
      const first = count === '0' ? Number(start) : Number(start) - 1
      while (at < first) result.push(before[at++]!)
    } else if (line.startsWith('-')) expect(line).toBe(`-${before[at++]}`)
    else result.push(line.slice(1))
  }
  return [...result, ...before.slice(at)]
}

it('a text with nothing in common with the other is told, not shown', () => {
  const many = (word: string) => Array.from({ length: 3_000 }, (_, index) => `${word} ${index}`).join('\n')
  expect(diffText(many('a'), many('b'))).toEqual(['@@ 3000 lines become 3000 @@'])
})

it('secrets are blotted out as they are written in any format, short ones as whole words', () => {
  const hide = createHideSecrets(['pa"ss\\word', 'abc', ''])
  expect(hide('"T": "pa\\"ss\\\\word"')).toBe('"T": "[redacted]"')
  expect(hide('T = pa"ss\\word')).toBe('T = [redacted]')
  expect(hide('abcd "abc"')).toBe('abcd "[redacted]"')
})

it('what looks like a secret is blotted out though nobody said so', () => {
  const hide = createHideSecrets([])
  expect(
    hide('"a": { "url": "ws://x", "headers": { "Authorization": "Bearer xyz", "Accept": "text" } },'),
  ).toBe('"a": { "url": "ws://x", "headers": { "Authorization": "[redacted]", "Accept": "text" } },')
  expect(hide('API_KEY = "xyz"')).toBe('API_KEY = "[redacted]"')
  expect(hide('"args": ["--api-key", "xyz", "--root", "/"]')).toBe(
    '"args": ["--api-key", "[redacted]", "--root", "/"]',
  )
  expect(hide('["https://x.example/?token=xyz", "ghp_exampleExampleExample00"]')).toBe(
    '["https://x.example/?token=[redacted]", "[redacted]"]',
  )
  expect(hide('TOKEN: ${TOKEN}')).toBe('TOKEN: ${TOKEN}')
  expect(hide('"TOKEN": "${input:token}"')).toBe('"TOKEN": "${input:token}"')
})

it('what would play tricks on a terminal is written out', () => {
  expect(showUnseen({ name: ['a\u001b[2Jb\u202e\tc'] })).toEqual({ name: ['a\\u{1b}[2Jb\\u{202e}\tc'] })
})
