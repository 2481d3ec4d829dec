import { describe, expect, it } from 'vitest'
import type { Json } from '../model/json.js'
import { seededRandom } from '../model/seeded-random.js'
import { describeCapability } from './describe-capability.js'
import { capabilityNameProblem, nameCapability } from './name-capability.js'
import { toolId } from './test-shelf.contract.js'

const none: ReadonlySet<string> = new Set()
const name = (intent: string | undefined, tools: readonly string[] = [], values: Json = {}, taken = none) =>
  nameCapability({ intent, tools: tools.map(toolId), values, taken })

describe('a name', () => {
  it.each([
    ['Read the config file and summarise it', ['filesystem:read_file'], 'read_config_file_summarise'],
    [
      'find all open issues, then post them to Slack',
      ['github:list_issues', 'slack:post_message'],
      'find_open_issues_post_slack',
    ],
    ['List Open Pull Requests', ['github:list_prs'], 'list_open_pull_requests'],
    ['export the report as PDF', ['docs:export'], 'export_report_pdf'],
    ["what's the weather in paris?", ['weather:get_forecast'], 'weather_paris'],
    ['Résumé der Dateien', ['filesystem:read_file'], 'resume_der_dateien'],
    ['最新のファイルを読む', ['filesystem:read_file'], 'read_file'],
    [undefined, ['filesystem:read_file', 'github:create_issue'], 'read_file_create_issue'],
    [undefined, ['github:github_create_issue'], 'create_issue'],
    ['', ['cap:read-config-ab12cd', 'mail:send'], 'read_config_send'],
    ['clean', ['filesystem:remove_file'], 'clean_remove_file'],
    ['then', [], 'procedure'],
    [undefined, [], 'procedure'],
    ['call', [], 'call_it'],
  ])('of "%s" with %j is %s', (intent, tools, expected) => {
    expect(name(intent, tools)).toBe(expected)
  })

  it.each([
    ['read "my secret plan" and mail it', 'secret'],
    ["read 'Quarterly Numbers' and mail it", 'quarterly'],
    ['read /home/anna/notes.txt and mail it', 'anna'],
    ['read C:\\Users\\anna\\notes.txt and mail it', 'anna'],
    ['mail the summary to anna@example.org', 'anna'],
    ['fetch https://example.org/anna?x=1 and count words', 'example'],
    ['fetch www.example.org and count words', 'example'],
    ['open budget.xlsx and count rows', 'budget'],
    ['get order 4711 and mail it', '4711'],
    ['close PROJ-118 and tell everybody', 'proj'],
    ['post the summary to #marketing and @anna', 'marketing'],
    ['count the rows of customer_orders', 'customer'],
    ['count the rows of customerOrders', 'customer'],
    ['tell Anna about the release', 'anna'],
    ['get the weather for three days', 'three'],
    ['use token [redacted] to list things', 'redacted'],
  ])('of "%s" does not hold "%s"', (intent, value) => {
    expect(name(intent, ['x:do'])).not.toContain(value)
  })

  it('holds no word of what was lifted, unless its tools are named after it', () => {
    expect(name('get the weather in paris', ['weather:get_forecast'], { city: 'paris' })).toBe('get_weather')
    expect(name('label issues as bug', ['tracker:label'], { issue: { labels: ['bug'] } })).toBe(
      'label_issues',
    )
    expect(name('read the notes', ['fs:read'], { verb: 'read' })).toBe('read_notes')
  })

  it('is one of its kind', () => {
    expect(name('read notes', [], {}, new Set(['read_notes', 'read_notes_2']))).toBe('read_notes_3')
  })

  it('is an identifier of at most 40 characters that none has, and the same each time, whatever the words', () => {
    const random = seededRandom(11)
    const parts = [
      'read',
      '"x y"',
      'ÄÖÜ',
      '😀',
      'a/b',
      '\n',
      '\0',
      'Überweisung',
      'x'.repeat(60),
      '__proto__',
      'then',
      "don't",
      '日本',
      '<a>',
      '12',
      '-',
      '_',
      'constructor',
      '[redacted]',
      '\ud800',
      '`',
    ]
    const taken = new Set<string>()
    for (let round = 0; round < 1_000; round++) {
      const words = Array.from(
        { length: Math.floor(random() * 8) },
        () => parts[Math.floor(random() * parts.length)]!,
      )
      const intent = words.join(random() < 0.9 ? ' ' : '')
      const tools = random() < 0.5 ? [] : ['__proto__:then', `s:${words[0] ?? 'x'}`]
      const made = name(intent, tools, { a: words }, taken)
      expect(made).toMatch(/^[a-z][a-z0-9_]{0,39}$/)
      expect(capabilityNameProblem(made, taken)).toBeUndefined()
      expect(name(intent, tools, { a: words }, taken)).toBe(made)
      taken.add(made)
    }
  })
})

it('a name that somebody chose is told what is wrong with it', () => {
  for (const wrong of [
    '',
    '1st',
    'a b',
    'a-b',
    'then',
    'constructor',
    'toString',
    '__proto__',
    'x'.repeat(41),
    'taken',
  ])
    expect(capabilityNameProblem(wrong, new Set(['taken']))).toBeTypeOf('string')
  for (const right of ['a', 'readNotes', 'read_notes_2', 'delete'])
    expect(capabilityNameProblem(right, new Set(['taken']))).toBeUndefined()
})

describe('a description', () => {
  const line = (intent: string | undefined, args = {}, tools = ['fs:read']) =>
    describeCapability({ intent, tools: tools.map(toolId), arguments: args })

  it('has parameters in the place of their values, and leaves other values out', () => {
    expect(
      line('read "notes.txt" from notes.txt, mail 3 lines of it to anna@example.org.', {
        path: 'notes.txt',
        lines: 3,
      }),
    ).toBe('Read <path> from <path>, mail <lines> lines of it to ... Calls fs:read.')
  })

  it('replaces no part of a word', () => {
    expect(line("sort the 'art' by artist", { kind: 'art' })).toBe(
      'Sort the <kind> by artist. Calls fs:read.',
    )
    expect(line('sort the art by artist', { kind: 'art' })).toBe('Sort the art by artist. Calls fs:read.')
  })

  it('without a request says what it calls', () => {
    expect(line(undefined, {}, ['a:b', 'c:d', 'a:b'])).toBe('Calls a:b, c:d.')
    expect(line('', {}, [])).toBe('Calls no tool.')
    expect(
      line(
        '"x" 12',
        {},
        Array.from({ length: 8 }, (_, at) => `s:t${at}`),
      ),
    ).toBe('Calls s:t0, s:t1, s:t2, s:t3, s:t4, s:t5 and 2 more.')
  })

  it('is one line of bounded length without hidden characters', () => {
    const long = line(`do\nthis\u202e\u200b ${'and that '.repeat(500)}`)
    expect(long).toMatch(/^Do this and that/)
    expect(long.length).toBeLessThan(260)
    expect(long).not.toMatch(/[\p{C}\n]/u)
  })
})

it('naming and describing a hostile text takes no time', () => {
  const begun = performance.now()
  for (const piece of ['"', "'", '`', '<a', '(((((', 'a.', '\\', '“', '« ', 'A']) {
    const text = piece.repeat(50_000)
    name(text, ['x:y'], { text })
    describeCapability({ intent: text, tools: [], arguments: { text, more: piece.repeat(5) } })
  }
  expect(performance.now() - begun).toBeLessThan(2_000)
})
