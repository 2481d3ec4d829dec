import { describe, expect, it } from 'vitest'
import { noExperience } from '../model/experience.js'
import type { IntentPlan } from '../model/plan.js'
import type { Tool, ToolId } from '../model/tool.js'
import { planTasks } from './plan-tasks.js'
import {
  argumentsOf,
  edgesOf,
  handMade,
  listOf,
  objectOf,
  openTestPlanner,
  said,
  text,
  tool,
  whole,
} from './test-planner.contract.js'

const planner = openTestPlanner()
const tasksOf = ({ plan }: IntentPlan): readonly string[] => plan.tasks.map(({ id }) => id)
const originOf = (plan: IntentPlan, task: string, argument: string) =>
  plan.arguments.find((one) => one.task === task && one.argument === argument)

/** Requests of every kind that these tests speak of. */
const requests = [
  'get the weather in Rome',
  'get the weather in Rome and play "Sunny"',
  'read notes.md, summarize it and send it to ann@example.com',
  'read notes.md, summarize it, translate the summary to French and send it to ann@example.com',
  'read a.md, summarize it, translate the summary to French, write it to b.md, send it to ann@example.com and get the weather in Rome',
  'list the files in data and read each one',
  "read every JSON file in data and store each file's name and content as an entity",
  'list the issues of "acme/site" and close the first one',
  'list the issues of "acme/site" and put the label "old" on all of them',
  'find Italian restaurants in Rome and reserve the best one on 2026-12-01 for 4 people',
  'translate "hello" to French and translate "goodbye" to German',
  'send it but do not send it',
  'read notes.md or delete it',
  'lies die Datei notes.md und sende sie an ann@example.com',
  '把 notes.md 的内容发给 ann@example.com',
  'اقرأ الملف notes.md',
  '🎉🎉🎉 send "hi 👋" to ann@example.com 🎉',
  'send send send send',
  'it',
  '',
  ' \n\t ',
  '"""""',
  '{"$from": "x"} __proto__ constructor',
]

describe('a plan', () => {
  it('chains the wishes of a request', async () => {
    const plan = await planner.planFor(requests[3]!)
    expect(plan.layers).toEqual([['read_file'], ['summarize_text'], ['translate_text'], ['send_email']])
    expect(argumentsOf(plan)).toEqual({
      read_file: { path: 'notes.md' },
      summarize_text: { text: { $from: 'read_file.content' } },
      translate_text: { text: { $from: 'summarize_text.summary' }, target_language: 'French' },
      send_email: { to: 'ann@example.com', body: { $from: 'translate_text.translation' } },
    })
    expect(plan.missing).toEqual([])
    expect(plan.confidence).toBeGreaterThan(0.85)
  })

  it('of wishes that have nothing to do with one another runs them together', async () => {
    const plan = await planner.planFor(requests[1]!)
    expect(plan.layers).toEqual([['get_weather', 'play_song']])
    expect(plan.edges).toEqual([])
  })

  it('calls one tool twice where each call has its own values', async () => {
    expect(argumentsOf(await planner.planFor(requests[10]!))).toEqual({
      translate_text: { text: 'hello', target_language: 'French' },
      translate_text_2: { text: 'goodbye', target_language: 'German' },
    })
  })

  for (const intent of requests) {
    const title = intent.trim().slice(0, 60) || 'an empty one'
    it(`is the same twice, sure by a probability, and legal as it stands: ${title}`, async () => {
      const plan = await planner.planFor(intent)
      expect(await openTestPlanner().planFor(intent)).toEqual(plan)
      expect(plan.confidence).toBeGreaterThanOrEqual(0)
      expect(plan.confidence).toBeLessThanOrEqual(1)
      expect(JSON.parse(JSON.stringify(plan))).toEqual(plan)
      if (plan.plan.tasks.length === 0) return
      expect(plan.layers.flat().sort()).toEqual(tasksOf(plan).toSorted())
      const again = planTasks(
        plan.plan.tasks.map(({ id, tool: name, arguments: args, dependsOn }) => ({
          id,
          tool: name,
          arguments: args,
          dependsOn,
        })),
        { resolve: (name) => handMade.find(({ id }) => id === name)!, intent },
      )
      expect(again).toEqual(plan.plan)
    })
  }
})

describe('what cannot be planned', () => {
  it('is a plan without tasks that says what is not served', async () => {
    const plan = await planner.planFor('upgrade the horses on the moon')
    expect(plan).toMatchObject({
      plan: { tasks: [] },
      confidence: 0,
      unserved: ['upgrade the horses on the moon'],
      layers: [],
    })
  })

  it('in part lowers the confidence and is named', async () => {
    const all = await planner.planFor('get the weather in Rome')
    const half = await planner.planFor('get the weather in Rome and upgrade the horses on the moon')
    expect(tasksOf(half)).toEqual(['get_weather'])
    expect(half.unserved).toEqual(['upgrade the horses on the moon'])
    expect(half.confidence).toBeLessThan(0.6 * all.confidence)
  })

  it('because there is nothing to plan is noted', async () => {
    for (const empty of ['', '  \n '])
      expect(await planner.planFor(empty)).toMatchObject({
        plan: { tasks: [] },
        unserved: [],
        notes: ['The request is empty.'],
      })
  })

  it('because it contradicts itself is noted, and never sure', async () => {
    const plan = await planner.planFor(
      'send an email to ann@example.com saying "hello" but do not send an email',
    )
    expect(plan.notes).toContain('mail:send_email is asked for and ruled out in one request.')
    expect(plan.confidence).toBeLessThanOrEqual(0.5)
  })

  it('with no tools at all is nothing', async () => {
    expect(await openTestPlanner([]).planFor('get the weather')).toMatchObject({
      plan: { tasks: [] },
      confidence: 0,
    })
  })

  it('in a megabyte is answered all the same', async () => {
    const started = performance.now()
    for (const huge of [
      'read notes.md and '.repeat(60_000),
      'x'.repeat(1_000_000),
      '"'.repeat(1_000_000),
      'send it, '.repeat(110_000),
    ]) {
      const plan = await planner.planFor(huge)
      expect(plan.confidence).toBeLessThanOrEqual(1)
      expect(JSON.stringify(plan).length).toBeLessThan(100_000)
    }
    expect(performance.now() - started).toBeLessThan(10_000)
  })
})

describe('what is not wanted', () => {
  it('is not planned', async () => {
    for (const intent of [
      'read notes.md but do not send an email',
      'read notes.md without sending an email',
      "read notes.md. Don't delete the file",
    ])
      expect(tasksOf(await planner.planFor(intent))).toEqual(['read_file'])
  })

  it('is not added as a prerequisite either', async () => {
    const wish = 'read every JSON file in data'
    expect(tasksOf(await planner.planFor(wish))).toEqual(['search_files', 'read_file'])
    expect(tasksOf(await planner.planFor(`${wish}. Do not search files by a pattern`))).not.toContain(
      'search_files',
    )
  })

  it('a choice is noted', async () => {
    expect((await planner.planFor(requests[12]!)).notes).toContain(
      '"read notes.md or delete it" offers a choice; the first was planned.',
    )
  })
})

describe('tools that cannot be called', () => {
  const changed = { definition: { name: 'x', inputSchema: {} }, hash: '', seenAt: 0 }
  const quarantined = openTestPlanner(
    handMade.map((one) => ({ ...one, ...(one.server === 'world' && { changed }) })),
  )

  it('are never planned: in quarantine', async () => {
    for (const intent of ['get_weather', ...requests])
      for (const { tool: id } of (await quarantined.planFor(intent)).plan.tasks)
        expect(id.startsWith('world:')).toBe(false)
  })

  it('are never planned: gone after they were found', async () => {
    const emptied = openTestPlanner(handMade, { tool: () => undefined })
    for (const intent of requests) expect((await emptied.planFor(intent)).plan.tasks).toEqual([])
  })
})

describe('prerequisites', () => {
  it('are added where a tool lacks what another gives', async () => {
    const plan = await planner.planFor(
      "read every JSON file in data and store each file's name and content as an entity",
    )
    expect(plan.tools.map(({ task, by }) => [task, by])).toEqual([
      ['read_file', 'intent'],
      ['create_entities', 'intent'],
      ['search_files', 'prerequisite'],
    ])
    expect(argumentsOf(plan)).toEqual({
      search_files: { path: 'data', pattern: '*.json' },
      read_file: { path: { $from: 'search_files.content[*]' } },
      create_entities: {
        entities: [
          { name: { $from: 'search_files.content[*]' }, observations: [{ $from: 'read_file[*].content' }] },
        ],
      },
    })
    expect(plan.missing).toEqual([
      {
        task: 'create_entities',
        argument: 'entities[0].entityType',
        description: 'The type of the entity',
        type: 'string',
      },
    ])
    expect(plan.tools[2]!.serves).toBe('gives path for files:read_file')
  })

  it('that do not say what they give are taken line by line', async () => {
    const silent = handMade.map((one): Tool => {
      const { outputSchema: _, ...definition } = one.definition
      return one.name === 'search_files' ? { ...one, definition } : one
    })
    const plan = await openTestPlanner(silent.filter(({ name }) => name !== 'list_files')).planFor(
      'read every JSON file in data',
    )
    expect(argumentsOf(plan).read_file).toEqual({ path: { $from: 'search_files[*]' } })
  })

  it('are not added where the request, or the caller, says it', async () => {
    expect(tasksOf(await planner.planFor('read the file notes.md'))).toEqual(['read_file'])
    for (const given of [{ path: 'a.json' }, { 'read_file.path': 'a.json' }])
      expect(tasksOf(await planner.planFor('read every JSON file in data', given))).toEqual(['read_file'])
  })

  it('are not added where past runs always said it themselves', async () => {
    const habit = { argument: 'email_id', how: { kind: 'constant', value: 'm1' }, count: 5, of: 5 } as const
    const used = openTestPlanner(handMade, {
      experience: { habits: (id) => (id === 'mail:archive_email' ? [habit] : []) },
    })
    expect(tasksOf(await planner.planFor('archive the email'))).toEqual(['list_emails', 'archive_email'])
    const plan = await used.planFor('archive the email')
    expect(argumentsOf(plan)).toEqual({ archive_email: { email_id: 'm1' } })
    expect(originOf(plan, 'archive_email', 'email_id')).toMatchObject({ source: 'learned' })
  })

  it('are not added beyond the token budget', async () => {
    const counted = openTestPlanner(handMade.map((one) => ({ ...one, tokens: 100 })))
    const wish = 'read every JSON file in data'
    expect(tasksOf(await counted.planFor(wish, {}, { tokenBudget: 200 }))).toHaveLength(2)
    expect(tasksOf(await counted.planFor(wish, {}, { tokenBudget: 199 }))).toHaveLength(1)
  })
})

describe('each, all, the first', () => {
  it('`each` and `every` are one call for each', async () => {
    for (const intent of [
      'list the files in data and read each one',
      'list the emails and archive every one of them',
    ])
      expect((await planner.planFor(intent)).plan.tasks[1]!.each).toHaveLength(1)
  })

  it('`the first` is one call', async () => {
    const plan = await planner.planFor('list the issues of "acme/site" and close the first one')
    expect(argumentsOf(plan).close_issue).toMatchObject({
      issue_number: { $from: 'list_issues.issues[0].issue_number' },
    })
    expect(plan.plan.tasks[1]!.each).toBeUndefined()
  })

  it('the first of what was done for each is one call, too', async () => {
    const plan = await planner.planFor(
      'list the files in data, read each one and summarize the first of them',
    )
    expect(argumentsOf(plan).summarize_text).toEqual({ text: { $from: 'read_file[0].content' } })
  })

  it('a tool that takes a list gets all of them at once', async () => {
    const plan = await planner.planFor(
      'list the issues of "acme/site" and put the label "old" on all of them',
    )
    expect(argumentsOf(plan).label_issues).toEqual({
      issue_numbers: { $from: 'list_issues.issues[*].issue_number' },
      label: 'old',
    })
    expect(plan.plan.tasks[1]!.each).toBeUndefined()
  })

  it('two lists that come from one another go side by side', async () => {
    const plan = await planner.planFor(
      "read every JSON file in data and store each file's name and content as an entity",
    )
    expect(plan.plan.tasks.at(-1)!.each).toEqual(['search_files.content[*]', 'read_file[*].content'])
  })

  it('lists of objects go whole from one table to another', async () => {
    const rows = listOf(objectOf({ row_id: whole, label: text }))
    const tools = [
      tool('db:query_rows', 'Queries the rows of a table', objectOf({ table: text }), objectOf({ rows })),
      tool('db:insert_rows', 'Inserts rows into a table', objectOf({ table: text, rows })),
    ]
    const plan = await openTestPlanner(tools).planFor(
      'query the rows of table "old" and insert them into table "new"',
    )
    expect(argumentsOf(plan)).toEqual({
      query_rows: { table: 'old' },
      insert_rows: { table: 'new', rows: { $from: 'query_rows.rows' } },
    })
  })
})

describe('arguments', () => {
  it('given ones win over the request, and what is given is not wired', async () => {
    const plan = await planner.planFor('get the weather in Rome and send it to ann@example.com', {
      city: 'Oslo',
      body: 'hello',
    })
    expect(argumentsOf(plan)).toEqual({
      get_weather: { city: 'Oslo' },
      send_email: { to: 'ann@example.com', body: 'hello' },
    })
    expect(originOf(plan, 'send_email', 'body')).toMatchObject({ source: 'given', confidence: 1 })
    expect(plan.edges.flatMap(({ fields }) => fields)).toEqual([])
  })

  it('given ones that nobody takes are noted', async () => {
    expect((await planner.planFor('get the weather in Rome', { colour: 'red' })).notes).toEqual([
      'Nothing takes the argument "colour".',
    ])
  })

  it('given ones are made to fit', async () => {
    const plan = await planner.planFor('convert money from "USD" to "EUR"', { amount: '5' })
    expect(argumentsOf(plan)).toEqual({
      convert_currency: { amount: 5, from_currency: 'USD', to_currency: 'EUR' },
    })
    expect(originOf(plan, 'convert_currency', 'amount')!.coerced).toBe('"5" as the number 5')
  })

  it('a given reference to no task is refused in words', async () => {
    await expect(planner.planFor('get the weather in Rome', { city: { $from: 'nobody.x' } })).rejects.toThrow(
      /"nobody\.x".*names no task of this plan/,
    )
  })

  it('numbers become text where text is wanted', async () => {
    const plan = await planner.planFor('get the weather in Rome and write the temperature to the file t.txt')
    expect(argumentsOf(plan).write_file).toEqual({
      path: 't.txt',
      content: { $from: 'get_weather.temperature', $as: 'text' },
    })
    expect(originOf(plan, 'write_file', 'content')!.coerced).toBe('number as text')
  })

  it('one of few that may stand there is found in plain words', async () => {
    const plan = await planner.planFor(
      'create an issue titled "Broken" in repo "acme/site" with high priority',
    )
    expect(argumentsOf(plan)).toEqual({
      create_issue: { repo: 'acme/site', title: 'Broken', priority: 'high' },
    })
    expect(originOf(plan, 'create_issue', 'priority')).toMatchObject({
      source: 'literal',
      why: '"high" in the request',
    })
  })

  it('that are missing are named with what they are', async () => {
    const plan = await planner.planFor('create an issue titled "Broken"')
    expect(plan.missing).toEqual([
      { task: 'create_issue', argument: 'repo', description: 'Repository of the issue', type: 'string' },
      { task: 'create_issue', argument: 'priority', description: 'How urgent it is', type: 'string' },
    ])
  })

  it('what a schema refers to in a circle is named, not followed for ever', async () => {
    const node = {
      type: 'object',
      properties: { label: said('What it says'), children: listOf({ $ref: '#/$defs/node' }) },
      required: ['label', 'children'],
    }
    const tree = {
      type: 'object',
      properties: { tree: { $ref: '#/$defs/node' } },
      required: ['tree'],
      $defs: { node },
    }
    const plan = await openTestPlanner([tool('s:save_tree', 'Saves a tree', tree)]).planFor('save the tree')
    expect(plan.missing.map(({ argument }) => argument)).toEqual(['tree.label', 'tree.children'])
  })
})

describe('the token budget', () => {
  it('cuts the plan, which says what was left out', async () => {
    const counted = openTestPlanner(handMade.map((one) => ({ ...one, tokens: 100 })))
    const plan = await counted.planFor(
      'read notes.md, summarize it and send it to ann@example.com',
      {},
      { tokenBudget: 200 },
    )
    expect(tasksOf(plan)).toEqual(['read_file', 'summarize_text'])
    expect(plan.unserved).toEqual(['send it to ann@example.com'])
    expect(plan.notes).toContain(
      'mail:send_email was left out: with it the tools of this plan would be too many, or take too many tokens.',
    )
  })
})

it('past runs are named where the plan leans on them', async () => {
  const ids = ['world:play_song' as ToolId, 'world:get_weather' as ToolId]
  const runs = Array.from({ length: 10 }, (_, at) => ({
    id: `r${at}`,
    intent: requests[1]!,
    endedAt: 0,
    tasks: ids.map((id, place) => ({
      id: `t${place}`,
      tool: id,
      arguments: {},
      dependsOn: place === 0 ? [] : ['t0'],
    })),
  }))
  const intent = 'play "Sunny" and get the weather in Rome'
  const plan = await openTestPlanner(handMade, {
    experience: { ...noExperience, runsAmong: () => runs },
  }).planFor(intent)
  expect(edgesOf(plan)).toEqual(['play_song -> get_weather'])
  expect(plan.pastRuns).toHaveLength(3)
})
