import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../model/seeded-random.js'
import { cpuMs } from './cpu-ms.contract.js'
import { readIntent } from './read-intent.js'

const clauses = (text: string) => readIntent(text).clauses.map((clause) => clause.text.trim())
const first = (text: string) => readIntent(text).clauses[0]!
const last = (text: string) => readIntent(text).clauses.at(-1)!

describe('readIntent', () => {
  it.each([
    [
      'get a random joke, translate it to Spanish and send it to 555-1234',
      ['get a random joke', 'translate it to Spanish', 'send it to 555-1234'],
    ],
    // Sentences, and what only looks like their end.
    ['Get the weather. Send it to Bob!', ['Get the weather.', 'Send it to Bob!']],
    ['Find the flights (to Rome). Book one; pay it', ['Find the flights (to Rome).', 'Book one;', 'pay it']],
    ['mail Mr. Smith and Dr. Jones', ['mail Mr. Smith and Dr. Jones']],
    ['open No. 5 of the list', ['open No. 5 of the list']],
    ['They said no. Send the letter', ['They said no.', 'Send the letter']],
    ['list tools, e.g. hammers', ['list tools, e.g. hammers']],
    ['show U.S. stocks of J. K. Rowling', ['show U.S. stocks of J. K. Rowling']],
    ['choose plan B. Send the letter', ['choose plan B.', 'Send the letter']],
    ['read notes.md and a.b.c', ['read notes.md and a.b.c']],
    // What comes after what.
    ['fetch the page then summarize the text', ['fetch the page', 'summarize the text']],
    ['fetch the page, and then, summarize the text', ['fetch the page', 'summarize the text']],
    ['fetch the page. After that, save the text', ['fetch the page.', 'save the text']],
    ['fetch the page. Finally, save the text', ['fetch the page.', 'save the text']],
    ['remind me at 10:30 and send the agenda', ['remind me at 10:30', 'send the agenda']],
    ['remind me at 5 p.m. Send the agenda', ['remind me at 5 p.m.', 'Send the agenda']],
    // An `and` between things is none between wishes.
    ['compare apples and oranges', ['compare apples and oranges']],
    [
      'compare apples and oranges and please send the list',
      ['compare apples and oranges', 'please send the list'],
    ],
    // Lists.
    ['- buy milk\n- call mum\n\n* post a letter', ['buy milk', 'call mum', 'post a letter']],
    ['1. buy milk\n2. call mum\n10) post a letter', ['buy milk', 'call mum', 'post a letter']],
    // Values hold no boundaries.
    [
      'post "wait. then send it, and save it" to the wall',
      ['post "wait. then send it, and save it" to the wall'],
    ],
    // What is ruled out is said on its own.
    ['list the files but do not delete them', ['list the files', 'do not delete them']],
    ['draft a mail without sending it', ['draft a mail', 'without sending it']],
    // Other languages, and nothing.
    ['查询北京的天气然后发送邮件', ['查询北京的天气然后发送邮件']],
    ['отправь письмо Ивану и сохрани его', ['отправь письмо Ивану и сохрани его']],
    ['🚀🚀 deploy 🎉', ['🚀🚀 deploy 🎉']],
    ['', []],
    [' \n\t ', []],
    ['then, and finally', []],
    ['Then send it', ['Then send it']],
  ])('cuts %j into wishes', (text, expected) => {
    expect(clauses(text)).toEqual(expected)
  })

  it.each([
    ['translate it', true],
    ['send the result to Bob', true],
    ['save those', true],
    ['send that to Bob', true],
    ['find a hotel that has a pool', false],
    ['send "it" to Bob', false],
    ['find a hotel', false],
  ])('notices whether %j points back: %s', (text, expected) => {
    expect(first(text).pointsBack).toBe(expected)
  })

  it.each([
    ['add both values', true],
    ['send the final total to Bob', true],
    ['set the value of 5', false],
    ['send the letter', false],
  ])('notices whether %j leaves open what is meant: %s', (text, expected) => {
    expect(first(text).isVague).toBe(expected)
  })

  it.each([
    ['do not delete them', true],
    ["don't send it", true],
    ['Please never call', true],
    ['without asking anybody', true],
    ['note that it is done', false],
    ['send it', false],
  ])('notices whether %j rules out: %s', (text, expected) => {
    expect(first(text).isRuledOut).toBe(expected)
  })

  it.each([
    ['read each file', { forEach: true }],
    ['read every JSON file', { forEach: true }],
    ['read a file', { forEach: false }],
    ['call Bob or Ann', { hasAlternative: true }],
    ['order the book', { hasAlternative: false }],
    ['based on the page write a text', { follows: true }],
    ['write a text', { follows: false }],
    ['could you write a text', { isWish: true }],
    ['there is a text', { isWish: false }],
  ])('notices what %j says', (text, expected) => {
    expect(first(text)).toMatchObject(expected)
  })

  it('keeps that a clause follows where the word for it was cut away', () => {
    expect(last('fetch the page, then save the text').follows).toBe(true)
    expect(last('fetch the page. Then, save the text').follows).toBe(true)
    expect(last('fetch the page and save the text').follows).toBe(false)
  })

  it('gives each clause its values, and knows which words are within one', () => {
    const { clauses } = readIntent('search "send flowers" for Ann and mail a@b.org')
    expect(clauses.map(({ literals }) => literals.map(({ text }) => text))).toEqual([
      ['send flowers', 'Ann'],
      ['a@b.org'],
    ])
    expect(clauses[0]!.words.filter(({ isValue }) => isValue).map(({ stem }) => stem)).toEqual([
      'send',
      'flower',
    ])
    expect(clauses[0]!.words.map(({ stem }) => stem)).toContain('ann')
  })

  it('takes the number of a list item for no value', () => {
    expect(
      readIntent('1. buy 3 apples\n2. call mum').clauses.flatMap(({ literals }) => literals),
    ).toMatchObject([{ text: '3' }])
  })

  it('gives places in the whole text', () => {
    const text = 'Get the page. Then, save 😀 the text'
    for (const { start, text: said, words } of readIntent(text).clauses) {
      expect(text.slice(start, start + said.length)).toBe(said)
      for (const { at } of words) expect(at).toBeGreaterThanOrEqual(start)
    }
  })

  it('puts what is beyond forty wishes into the last, and reads no further than a request is long', () => {
    const { clauses, text } = readIntent('send the mail. '.repeat(2_000))
    expect(clauses).toHaveLength(40)
    expect(text).toHaveLength(10_000)
    expect(clauses.at(-1)!.start + clauses.at(-1)!.text.length).toBe(10_000)
  })

  it.each([
    ...[
      'a',
      ' ',
      '\n',
      ',',
      '.',
      '"',
      "'",
      '(',
      '- ',
      ', ',
      'and ',
      ', and ',
      'and then ',
      'then ',
      'then,',
      '. Then, ',
      'please ',
    ],
    ...[
      'i want to ',
      'and i want to ',
      ', also then next please ',
      ', quickly ',
      'aaaaaaaaaaly ',
      'you should ',
      'without a',
      'the ',
    ],
    ...[
      'the two ',
      'both the new ',
      'that is ',
      'that has ',
      'this result ',
      'no. ',
      'a. ',
      'e.g. ',
      'mr. ',
      '1. ',
      '\n1. ',
      '\n- ',
    ],
    ...['do not ', 'after that ', 'afterwards', 'once done, ', '\u0001', 'send ', ', send ', '字', '😀', 'é'],
  ])('takes no longer for 10,000 characters of %j', (piece) => {
    expect(cpuMs(() => readIntent(piece.repeat(10_000).slice(0, 10_000)))).toBeLessThan(400)
  })

  it('takes no longer for pieces thrown together', () => {
    const random = seededRandom(11)
    const pieces = [
      ...[
        'a',
        ' ',
        '  ',
        '\n',
        ',',
        ', ',
        '. ',
        'and ',
        'but ',
        'then ',
        'also ',
        'to ',
        'please ',
        'i want to ',
        'help me ',
      ],
      ...[
        'quickly ',
        'the ',
        'total ',
        'new ',
        'that ',
        'this ',
        'not ',
        'without ',
        'no. ',
        '1',
        '"',
        "'",
        '(',
        '-',
        'send',
        '字',
      ],
    ]
    const any = () => pieces[Math.floor(random() * pieces.length)]!
    for (let round = 0; round < 200; round++) {
      const piece = Array.from({ length: 1 + Math.floor(random() * 4) }, any).join('')
      const text = any() + piece.repeat(10_000 / piece.length)
      expect(
        cpuMs(() => readIntent(text)),
        JSON.stringify(piece),
      ).toBeLessThan(400)
    }
  })
})
