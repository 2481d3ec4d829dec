import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../model/seeded-random.js'
import { cpuMs } from './cpu-ms.contract.js'
import { findLiterals } from './find-literals.js'

const found = (text: string) => findLiterals(text).map(({ kind, text: value }) => `${kind} ${value}`)

describe('findLiterals', () => {
  it.each([
    // Quoted texts.
    ['search for "red shoes" and ‘blue hats’', ['quoted red shoes', 'quoted blue hats']],
    ["post 'don't panic' to the channel", ["quoted don't panic"]],
    ['say “hello there” or „guten Tag“', ['quoted hello there', 'quoted guten Tag']],
    ['cherche «la vie» et 「東京」', ['quoted la vie', 'quoted 東京']],
    ['run `npm test` in a shell', ['quoted npm test']],
    ["read John's notes and Mary’s mail", ['name John', 'name Mary']],
    ["the users' files and the dogs' food", []],
    ["rock of the '90s and 'jazz'", ['number 90', 'quoted jazz']],
    ['buy 6" pipes and 8" pipes', ['number 6', 'number 8']],
    ['say "" to them', []],
    ['an "open quote that never ends', []],
    // Addresses.
    ['open https://a.b/c?d=e#f, then (www.example.com).', ['url https://a.b/c?d=e#f', 'url www.example.com']],
    ['clone git+ssh://git@host/x.git.', ['url git+ssh://git@host/x.git']],
    [
      'mail a.b+c@mail.example.co.uk and jörg@bücher.de.',
      ['email a.b+c@mail.example.co.uk', 'email jörg@bücher.de'],
    ],
    // Paths.
    ['read /etc/hosts. then ~/notes.md, ../data', ['path /etc/hosts', 'path ~/notes.md', 'path ../data']],
    ['open C:\\Temp\\a.txt, and \\\\nas\\share\\b', ['path C:\\Temp\\a.txt', 'path \\\\nas\\share\\b']],
    ['move src/index.ts to notes.md', ['path src/index.ts', 'path notes.md']],
    ['list data/raw/2024 and /home/josé/übung.pdf', ['path data/raw/2024', 'path /home/josé/übung.pdf']],
    ['run the-file.test.ts now', ['path the-file.test.ts']],
    ['his and/or her 50/50 share, in km/h', ['number 50', 'number 50']],
    ['use Node.js for it', ['name Node.js']],
    // Patterns of file names.
    ['read every JSON file and all Python scripts', ['glob *.json', 'glob *.py']],
    ['find src/**/*.test.ts, then *.md.', ['glob src/**/*.test.ts', 'glob *.md']],
    ['multiply 5 * 3 for a **bold** text', ['number 5', 'number 3']],
    // Dates.
    ['on 2024-05-01 or 2024/05/02', ['date 2024-05-01', 'date 2024/05/02']],
    ['at 2024-05-01T10:00:00.5+02:00 sharp', ['date 2024-05-01T10:00:00.5+02:00']],
    ['from 12/31/2024 to 31.12.24', ['date 12/31/2024', 'date 31.12.24']],
    ['on March 5th, 2024 and 5 of May 2025', ['date March 5th, 2024', 'date 5 of May 2025']],
    ['in Sept. 2023, Dec 24 or 1 jan', ['date Sept. 2023', 'date Dec 24', 'date 1 jan']],
    ['tomorrow, next friday and this weekend', ['date tomorrow', 'date next friday', 'date this weekend']],
    ['buy 5 marbles, 3 novels and octopus 8', ['number 5', 'number 3', 'number 8']],
    // Times.
    ['at 10:30 and 5 pm', ['time 10:30', 'time 5 pm']],
    ['at 5 p.m. Send it at 11:15 A.M., or 7 o’clock', ['time 5 p.m', 'time 11:15 A.M.', 'time 7 o’clock']],
    ['at noon or Midnight', ['time noon', 'time Midnight']],
    ['a ratio of 99:99', ['number 99', 'number 99']],
    // Telephone numbers.
    ['call 555-1234 or 555-123-4567', ['phone 555-1234', 'phone 555-123-4567']],
    ['call (555) 123-4567, +49 (30) 123456', ['phone (555) 123-4567', 'phone +49 (30) 123456']],
    ['call 1-800-555-1234, 555.123.4567', ['phone 1-800-555-1234', 'phone 555.123.4567']],
    ['at 35.6895 and 139.6917', ['number 35.6895', 'number 139.6917']],
    // Numbers.
    ['$1,234.50, € 20, -3 and -$5', ['number $1,234.50', 'number € 20', 'number -3', 'number -$5']],
    ['1,2,3 or 10,000km', ['number 1', 'number 2', 'number 3', 'number 10,000']],
    ['between 5-10 of .5', ['number 5', 'number 10', 'number .5']],
    ['from 1,000,000 to 1000.', ['number 1,000,000', 'number 1000']],
    // What things go by.
    ['close PROJ-123, user_name and A1B2C3', ['id PROJ-123', 'id user_name', 'id A1B2C3']],
    ['tell @alice in #general about #42', ['id @alice', 'id #general', 'number 42']],
    ['get 12345678-1234-1234-1234-123456789abc now', ['id 12345678-1234-1234-1234-123456789abc']],
    ['charge 4111111111111111', ['id 4111111111111111']],
    ['install v1.2.3 on 192.168.10.11', ['id v1.2.3', 'id 192.168.10.11']],
    // Places and names.
    ['list the files in data and count them', ['place data']],
    ['what is in the inbox?', ['place inbox']],
    ['weather in New York and Rio de Janeiro', ['name New York', 'name Rio de Janeiro']],
    ['books by J. K. Rowling', ['name J. K. Rowling']],
    ['Find Élodie. Then ask Ōe', ['name Élodie', 'name Ōe']],
    ["eat at McDonald's in Berlin", ["name McDonald's", 'name Berlin']],
    ['Please do it. I wait', []],
    // Nothing at all.
    ['', []],
    ['🚀 天気を教えて', []],
  ])('finds in %j', (text, values) => {
    expect(found(text)).toEqual(values)
  })

  it.each([
    ['50%', 50, '%'],
    ['50 percent of it', 50, '%'],
    ['12.5 Miles', 12.5, 'miles'],
    ['$1,000', 1000, '$'],
    ['20 €', 20, '€'],
    ['-3', -3, undefined],
  ])('reads the number and the unit of %j', (text, number, unit) => {
    const [literal] = findLiterals(text)
    expect([literal?.number, literal?.unit]).toEqual([number, unit])
  })

  it.each([
    ['2024-05-01', 'date', undefined],
    ['10:30', 'time', undefined],
    ['1000000', 'number', 1_000_000],
    ['2.50662827', 'number', 2.50662827],
    ['$1,000', 'number', 1000],
    ['5551234567', 'phone', undefined],
    ['555 123 45 67', 'phone', undefined],
    ['a@b.org', 'email', undefined],
    ['/etc/hosts', 'path', undefined],
    ['*.ts', 'glob', undefined],
    ['red shoes', undefined, undefined],
  ])('knows that a quoted %j is more than text', (inner, kind, number) => {
    const [literal] = findLiterals(`use "${inner}" for this request`)
    expect(literal).toMatchObject({ kind: 'quoted', text: inner })
    expect([literal?.inner, literal?.number]).toEqual([kind, number])
  })

  it('takes a request that is quoted as a whole for a request', () => {
    expect(found('"send it to Bob at 10:30"')).toEqual(['time 10:30', 'name Bob'].toReversed())
  })

  it('says where each stands, in order, none within another', () => {
    const text = 'Mail "Q3, 2024" to a@b.org by 5 pm, cc Ann Lee: 3 files, 😀 /tmp/x'
    let last = 0
    for (const { kind, text: value, start, end } of findLiterals(text)) {
      expect(start).toBeGreaterThanOrEqual(last)
      expect(text.slice(start, end)).toBe(kind === 'quoted' ? `"${value}"` : value)
      last = end
    }
    expect(last).toBe(text.length)
  })

  it('reads no further than a request is long, and finds no more than anybody means', () => {
    expect(findLiterals(`${'a '.repeat(5_000)}"x"`)).toEqual([])
    expect(findLiterals('7 '.repeat(4_000))).toHaveLength(200)
  })

  it.each([
    ...[
      'a',
      'A',
      '1',
      '(',
      '"',
      "'",
      '“',
      '‘',
      '`',
      '«',
      '「',
      '„',
      '-',
      '_',
      '.',
      '/',
      '\\',
      '@',
      '+',
      '$',
      ' ',
      '\n',
    ],
    ...[
      'A ',
      'A. ',
      'a/',
      'a-',
      'a.',
      'a_',
      '1,',
      '1.',
      '1-',
      '- ',
      "'a",
      "a'",
      '“a',
      '1 (',
      'x@',
      'x@a.',
      'a://',
      'www.',
    ],
    ...[
      '.json',
      '/*',
      '*.',
      'C:\\',
      'jan ',
      '1 of ',
      '+1 ',
      '111-',
      'in the ',
      'A of ',
      '😀',
      'é',
      '字',
      '1a',
      '‘a’b',
    ],
  ])('takes no longer for 10,000 characters of %j', (piece) => {
    expect(cpuMs(() => findLiterals(piece.repeat(10_000).slice(0, 10_000)))).toBeLessThan(400)
  })

  it('takes no longer for pieces thrown together', () => {
    const random = seededRandom(7)
    const pieces = [
      ...'aA1("\'“”‘’`,./\\-_ \n@#+$%:*é字',
      '://',
      'www.',
      'A ',
      '1,',
      'a/',
      'in ',
      'may 1',
      'of ',
      'a.m.',
      '.json',
    ]
    const any = () => pieces[Math.floor(random() * pieces.length)]!
    for (let round = 0; round < 300; round++) {
      const piece = Array.from({ length: 1 + Math.floor(random() * 4) }, any).join('')
      const text = any() + piece.repeat(10_000 / piece.length)
      expect(
        cpuMs(() => findLiterals(text)),
        JSON.stringify(piece),
      ).toBeLessThan(400)
    }
  })
})
