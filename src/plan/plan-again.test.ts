import { describe, expect, it } from 'vitest'
import type { PastRun, SimilarRun } from '../model/experience.js'
import type { JsonObject } from '../model/json.js'
import type { Tool, ToolId } from '../model/tool.js'
import {
  argumentsOf,
  handMade,
  listOf,
  objectOf,
  openTestPlanner,
  pastRun,
  text,
  tool,
} from './test-planner.contract.js'

const intent = 'get the weather in Rome and mail it to ann@example.com'
const run = pastRun('run-7', intent, [
  ['weather', 'world:get_weather', { city: 'Rome' }],
  [
    'mail',
    'mail:send_email',
    { to: 'ann@example.com', subject: 'Weather', body: { $from: 'weather.conditions' } },
    ['weather'],
  ],
])

const remembering = (runs: readonly PastRun[], similarity = 1, tools: readonly Tool[] = handMade) =>
  openTestPlanner(tools, {
    experience: { runsLike: (): readonly SimilarRun[] => runs.map((one) => ({ run: one, similarity })) },
  })

const isAgain = (plan: { readonly tools: readonly { readonly by: string }[] }): boolean =>
  plan.tools.length > 0 && plan.tools.every(({ by }) => by === 'past run')

describe('an intent that went well before', () => {
  it('is done as it was done then, and every part says so', async () => {
    const plan = await remembering([run]).planFor(intent)
    expect(argumentsOf(plan)).toEqual({
      weather: { city: 'Rome' },
      mail: { to: 'ann@example.com', subject: 'Weather', body: { $from: 'weather.conditions' } },
    })
    expect(plan.layers).toEqual([['weather'], ['mail']])
    expect(plan.pastRuns).toEqual(['run-7'])
    expect(plan.missing).toEqual([])
    expect(plan.edges.map(({ from, to, why }) => [from, to, why])).toEqual([
      ['weather', 'mail', 'as in run run-7'],
    ])
    expect(plan.arguments.map(({ argument, source }) => [argument, source])).toEqual([
      ['city', 'literal'],
      ['to', 'literal'],
      ['subject', 'learned'],
      ['body', 'wired'],
    ])
    expect(plan.notes).toEqual(['The same went well once; this is what was done then.'])
    expect(plan.confidence).toBeCloseTo(13 / 14)
  })

  it('is surer the more often it went well', async () => {
    const once = await remembering([run]).planFor(intent)
    const often = await remembering(Array.from({ length: 30 }, () => run)).planFor(intent)
    expect(often.confidence).toBeGreaterThan(once.confidence)
    expect(often.confidence).toBeLessThanOrEqual(0.97)
  })

  it('is done with the values of this one', async () => {
    const plan = await remembering([run]).planFor('get the weather in Oslo and mail it to bob@example.com')
    expect(argumentsOf(plan)).toMatchObject({
      weather: { city: 'Oslo' },
      mail: { to: 'bob@example.com', subject: 'Weather' },
    })
    expect(plan.arguments.find(({ argument }) => argument === 'city')).toMatchObject({
      source: 'literal',
      why: '"Oslo" in the request',
    })
  })
})

describe('it is planned anew', () => {
  const expectAnew = async (planner: ReturnType<typeof remembering>, given: JsonObject = {}) => {
    const plan = await planner.planFor(intent, given)
    expect(isAgain(plan)).toBe(false)
    expect(plan.plan.tasks.length).toBeGreaterThan(0)
  }

  it('where the words are others', async () => expectAnew(remembering([run], 0.8)))

  it('where a tool is gone', async () =>
    expectAnew(remembering([pastRun('r', intent, [['x', 'gone:get_weather', { city: 'Rome' }]])])))

  it('where a tool is in quarantine', async () => {
    const changed = { definition: { name: 'send_email', inputSchema: {} }, hash: '', seenAt: 0 }
    await expectAnew(
      remembering(
        [run],
        1,
        handMade.map((one) => (one.name === 'send_email' ? { ...one, changed } : one)),
      ),
    )
  })

  it('where the caller gives values, which may mean another procedure', async () =>
    expectAnew(remembering([run]), { city: 'Oslo' }))

  it('where what was done then can be planned no more', async () => {
    const both = { $from: 'weather.conditions[*]' }
    const torn = tool('s:torn', '', objectOf({ one: text, many: listOf(text) }))
    const runs = [
      pastRun('r', intent, [
        ['weather', 'world:get_weather', { city: 'Rome' }],
        ['torn', 's:torn', { one: both, many: both }],
      ]),
    ]
    await expectAnew(remembering(runs, 1, [...handMade, torn]))
    const lost = pastRun('r', intent, [
      ['mail', 'mail:send_email', { to: 'ann@example.com', body: { $from: 'nobody' } }],
    ])
    await expectAnew(remembering([lost]))
  })

  it('where nothing was done then', async () => expectAnew(remembering([pastRun('r', intent, [])])))
})

it('a key that looks like none stands where it stood', async () => {
  const odd = tool('s:odd', 'Odd', objectOf({ 'a b': objectOf({ 'c.d': text }) }))
  const runs = [pastRun('r', 'do the odd thing', [['odd', 's:odd' as ToolId, { 'a b': { 'c.d': 'x' } }]])]
  const plan = await remembering(runs, 1, [odd]).planFor('do the odd thing')
  expect(plan.arguments.map(({ argument }) => argument)).toEqual(['["a b"]["c.d"]'])
})
