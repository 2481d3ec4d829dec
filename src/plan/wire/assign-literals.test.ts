import { describe, expect, it } from 'vitest'
import { cpuMs } from '../read/cpu-ms.contract.js'
import { readIntent } from '../read/read-intent.js'
import { assignLiterals } from './assign-literals.js'
import type { ToolPlace } from './place-tools.js'
import { shapeTools, type ToolSketch } from './shape-tools.contract.js'

const text = { type: 'string' }
const number = { type: 'number' }
const inClause = (clause: number): ToolPlace => ({ clause, at: 0, score: 1, chances: [] })

/** `tool.parameter=value,value`; all tools in the first clause, unless said otherwise. */
async function assign(
  said: string,
  sketches: readonly ToolSketch[],
  clauses: readonly number[] = sketches.map(() => 0),
) {
  const shapes = await shapeTools(...sketches)
  return assignLiterals(readIntent(said), shapes, clauses.map(inClause))
    .map(
      ({ tool, field, literals }) =>
        `${sketches[tool]!.id.split(':')[1]}.${field.path}=${literals.map((one) => one.text)}`,
    )
    .toSorted()
}

const weather: ToolSketch = { id: 'w:get_weather', takes: { city: text, 'days?': { type: 'integer' } } }
const translate: ToolSketch = {
  id: 'l:translate',
  takes: { text, source_language: text, target_language: text },
}
const mail: ToolSketch = { id: 'm:send_mail', takes: { to: text, subject: text, 'cc?': text } }
const mean: ToolSketch = { id: 'c:average', takes: { numbers: { type: 'array', items: number } } }
const loan: ToolSketch = {
  id: 'c:loan',
  takes: { amount: number, interest_rate: number, years: { type: 'integer' } },
}
const readFile: ToolSketch = { id: 'f:read_file', takes: { path: text } }
const listFiles: ToolSketch = { id: 'f:list_files', takes: { path: text, 'pattern?': text } }

describe('assignLiterals', () => {
  it.each<[string, ToolSketch, string[]]>([
    ['get the weather in Paris for 3 days', weather, ['get_weather.city=Paris', 'get_weather.days=3']],
    [
      'translate "good morning" from English to Spanish',
      translate,
      [
        'translate.source_language=English',
        'translate.target_language=Spanish',
        'translate.text=good morning',
      ],
    ],
    ['send a mail to a@b.org with the subject "Hi"', mail, ['send_mail.subject=Hi', 'send_mail.to=a@b.org']],
    ['average the numbers 3, 1 and 2', mean, ['average.numbers=3,1,2']],
    [
      'a loan of $200,000 at 4.5% over 30 years',
      loan,
      ['loan.amount=$200,000', 'loan.interest_rate=4.5', 'loan.years=30'],
    ],
    // What `it` stands for is no value of the request.
    ['translate it to Spanish', translate, ['translate.target_language=Spanish']],
    // What is done for each has its value from each.
    ['read every JSON file in data', readFile, []],
    ['list every JSON file in data', listFiles, ['list_files.path=data', 'list_files.pattern=*.json']],
    ['get the weather', weather, []],
    ['get the weather in 5', { id: 'x:ping' }, []],
  ])('of %j', async (said, sketch, expected) => {
    expect(await assign(said, [sketch])).toEqual(expected)
  })

  it('gives a value to one parameter only, and to the tools of its own clause', async () => {
    const said = 'get the weather in Paris and send a mail to a@b.org'
    expect(await assign(said, [weather, mail], [0, 1])).toEqual([
      'get_weather.city=Paris',
      'send_mail.to=a@b.org',
    ])
    expect(await assign(said, [weather, mail], [1, 0])).not.toContain('get_weather.city=Paris')
    expect(await assign('weather in Paris', [weather, { ...weather, id: 'w:forecast' }])).toHaveLength(1)
  })

  it('gives to nobody what has no clause', async () => {
    expect(await assign('weather in Paris', [weather], [-1])).toEqual([])
  })

  it('takes the name of a tool for no value', async () => {
    const sms: ToolSketch = { id: 'p:send_sms', takes: { message: text } }
    expect(await assign('now send an SMS', [sms])).toEqual([])
  })

  it('tells a tool that is used twice from itself', async () => {
    const assigned = await assign('compare the weather of Paris with Rome', [weather, weather])
    expect(assigned).toEqual(['get_weather.city=Paris', 'get_weather.city=Rome'])
  })

  it('gives the same whatever order the tools come in', async () => {
    const [a, b] = ['x:alpha', 'x:beta'].map((id): ToolSketch => ({ id, takes: { city: text } }))
    expect(await assign('look at Paris', [a!, b!])).toEqual(await assign('look at Paris', [b!, a!]))
  })

  it('keeps the values of a list in the order in which they were said', async () => {
    expect(await assign('average 5, 4 and the numbers 3 and 9', [mean])).toEqual(['average.numbers=5,4,3,9'])
  })

  it('takes no longer for 200 values, 2,000 words and 200 parameters', async () => {
    const takes = Object.fromEntries(
      Array.from({ length: 200 }, (_, at) => [`field_${at}`, at % 2 === 0 ? text : number]),
    )
    const shapes = await shapeTools({ id: 'x:big', takes })
    const intent = readIntent('the field word of 7 field '.repeat(380))
    expect(intent.clauses).toHaveLength(1)
    expect(cpuMs(() => assignLiterals(intent, shapes, [inClause(0)]))).toBeLessThan(500)
  })
})
