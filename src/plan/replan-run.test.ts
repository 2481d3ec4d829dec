import { describe, expect, it } from 'vitest'
import type { Run, TaskOutcome, TaskStatus } from '../model/run.js'
import type { Tool, ToolId } from '../model/tool.js'
import type { Replanned } from './intent-planner.js'
import {
  argumentsOf,
  handMade,
  openTestPlanner,
  pastRun,
  type TestPlannerOptions,
} from './test-planner.contract.js'

type Sketch = readonly [id: string, tool: string, more?: Partial<TaskOutcome>]

function runOf(intent: string | undefined, tasks: readonly Sketch[]): Run {
  return {
    id: 'run',
    ...(intent !== undefined && { intent }),
    status: 'complete',
    startedAt: 0,
    tasks: tasks.map(([id, tool, more = {}]) => ({
      id,
      tool: tool as ToolId,
      arguments: {},
      status: 'complete' as TaskStatus,
      ...more,
    })),
  }
}

async function replan(
  run: Run,
  requirement: string,
  tools: readonly Tool[] = handMade,
  options: TestPlannerOptions = {},
): Promise<Replanned> {
  return openTestPlanner(tools, options).replan(run, requirement, { given: {}, tokenBudget: 8_000 })
}

const weatherRun = runOf('get the weather in Rome', [
  ['get_weather', 'world:get_weather', { arguments: { city: 'Rome' }, result: { conditions: 'sunny' } }],
])

describe('what is done', () => {
  it('stays, and new tasks are wired to its result', async () => {
    const plan = await replan(weatherRun, 'send it to ann@example.com')
    expect(argumentsOf(plan)).toEqual({
      get_weather: { city: 'Rome' },
      send_email: { to: 'ann@example.com', body: { $from: 'get_weather.conditions' } },
    })
    expect(plan.finished).toEqual(weatherRun.tasks)
    expect(plan.added).toEqual([
      { task: 'send_email', tool: 'mail:send_email', why: 'for "send it to ann@example.com"' },
    ])
    expect(plan.tools.map(({ task }) => task)).toEqual(['send_email'])
    expect(plan.layers).toEqual([['get_weather'], ['send_email']])
    expect(plan.plan.intent).toBe('get the weather in Rome. send it to ann@example.com')
    expect(plan.confidence).toBeGreaterThan(0.5)
  })

  it('is never done again, also where the new requirement needs the same tool', async () => {
    const plan = await replan(weatherRun, 'get the weather in Oslo')
    expect(plan.plan.tasks.map(({ id, arguments: args }) => [id, args])).toEqual([
      ['get_weather', { city: 'Rome' }],
      ['get_weather_2', { city: 'Oslo' }],
    ])
  })

  it('for each of something, gives a list', async () => {
    const run = runOf('read every file in data', [
      ['list_files', 'files:list_files', { arguments: { folder: 'data' } }],
      ['read_file', 'files:read_file', { arguments: { path: { $from: 'list_files.files[*].path' } } }],
      ['read_file[0]', 'files:read_file', { parent: 'read_file', arguments: { path: 'data/a' } }],
      [
        'read_file[1]',
        'files:read_file',
        { parent: 'read_file', arguments: { path: 'data/b' }, status: 'failed' },
      ],
    ])
    const plan = await replan(run, 'summarize each of them')
    expect(argumentsOf(plan).summarize_text).toEqual({ text: { $from: 'read_file[*].content' } })
    expect(plan.plan.tasks.map(({ id, dependsOn, each }) => [id, dependsOn, each])).toEqual([
      ['list_files', [], undefined],
      ['read_file', ['list_files'], ['list_files.files[*].path']],
      ['summarize_text', ['read_file'], ['read_file[*].content']],
    ])
    expect(plan.finished.map(({ id }) => id)).toEqual([
      'list_files',
      'read_file',
      'read_file[0]',
      'read_file[1]',
    ])
    expect(plan.notes).toEqual([])
  })

  it('feeds what comes now also where another took its result, if it plainly is what is wanted', async () => {
    const run = runOf('read every file in data', [
      ['list_files', 'files:list_files', { arguments: { folder: 'data' } }],
      ['read_file', 'files:read_file', { arguments: { path: { $from: 'list_files.files[*].path' } } }],
      ['read_file[0]', 'files:read_file', { parent: 'read_file', arguments: { path: 'data/a' } }],
    ])
    const plan = await replan(run, 'delete each of the files')
    expect(argumentsOf(plan).delete_file).toEqual({ path: { $from: 'list_files.files[*].path' } })
  })

  it('is not made to wait for what is new, whatever past runs did', async () => {
    const runs = Array.from({ length: 20 }, (_, at) =>
      pastRun(`r${at}`, 'send it', [
        ['mail', 'mail:send_email'],
        ['weather', 'world:get_weather', {}, ['mail']],
      ]),
    )
    const plan = await replan(weatherRun, 'send it to ann@example.com', handMade, {
      experience: { runsAmong: () => runs },
    })
    expect(plan.edges.every(({ to }) => to === 'send_email')).toBe(true)
    expect(plan.dropped.every(({ to }) => to === 'send_email')).toBe(true)
    expect(plan.plan.tasks[0]!.dependsOn).toEqual([])
  })

  it('stays where its tool is gone, and nobody new takes its name', async () => {
    const run = runOf('look up the weather', [['send_email', 'gone:lookup']])
    const plan = await replan(run, 'send "hello" to ann@example.com')
    expect(plan.plan.tasks.map(({ id, tool }) => [id, tool])).toEqual([
      ['send_email', 'gone:lookup'],
      ['send_email_2', 'mail:send_email'],
    ])
    expect(plan.notes).toEqual(['send_email stays, but nothing new is wired to it: gone:lookup is gone.'])
  })

  it('stays where its tool is in quarantine since, and its result can be used', async () => {
    const changed = { definition: { name: 'get_weather', inputSchema: {} }, hash: '', seenAt: 0 }
    const tools = handMade.map((one) => (one.name === 'get_weather' ? { ...one, changed } : one))
    const plan = await replan(weatherRun, 'send it to ann@example.com', tools)
    expect(argumentsOf(plan).send_email).toMatchObject({ body: { $from: 'get_weather.conditions' } })
  })

  it('may hold values that look like references', async () => {
    const odd = runOf('get the weather in Rome', [
      ['get_weather', 'world:get_weather', { arguments: { city: { $from: 5 } as never } }],
      ['other', 'world:play_song', { arguments: { title: { $from: 'nobody.x' } } }],
    ])
    const plan = await replan(odd, 'send it to ann@example.com')
    expect(plan.plan.tasks.slice(0, 2).map(({ dependsOn }) => dependsOn)).toEqual([[], []])
  })
})

describe('what did not end well', () => {
  it('is not taken over, and the plan says so; its name is not given to another', async () => {
    const run = runOf('get the weather in Rome and send it to ann@example.com', [
      ['get_weather', 'world:get_weather', { arguments: { city: 'Rome' } }],
      ['send_email', 'mail:send_email', { status: 'failed' }],
      ['play_song', 'world:play_song', { status: 'skipped' }],
    ])
    const plan = await replan(run, 'send it to bob@example.com')
    expect(plan.plan.tasks.map(({ id }) => id)).toEqual(['get_weather', 'send_email_2'])
    expect(plan.notes).toEqual([
      'send_email is not taken over: it is failed.',
      'play_song is not taken over: it is skipped.',
    ])
    expect(plan.finished.map(({ id }) => id)).toEqual(['get_weather'])
  })
})

describe('odd requirements', () => {
  it('a run without an intent', async () => {
    const run = runOf(undefined, [['get_weather', 'world:get_weather', { arguments: { city: 'Rome' } }]])
    const plan = await replan(run, 'send the weather conditions to ann@example.com')
    expect(plan.plan.tasks.map(({ id }) => id)).toEqual(['get_weather', 'send_email'])
    expect(plan.plan.intent).toBe('send the weather conditions to ann@example.com')
    expect(argumentsOf(plan).send_email).toMatchObject({ body: { $from: 'get_weather.conditions' } })
  })

  it('a run without tasks', async () => {
    const plan = await replan(runOf('do nothing', []), 'get the weather in Rome')
    expect(plan.plan.tasks.map(({ id }) => id)).toEqual(['get_weather'])
  })

  it('a single word', async () => {
    const run = runOf('read notes.md', [
      ['read_file', 'files:read_file', { arguments: { path: 'notes.md' } }],
    ])
    const plan = await replan(run, 'summarize')
    expect(argumentsOf(plan).summarize_text).toEqual({ text: { $from: 'read_file.content' } })
  })

  it('of few words leans on what was said before, and is not served by what that was', async () => {
    expect((await replan(weatherRun, 'play "Sunny"')).added.map(({ tool }) => tool)).toEqual([
      'world:play_song',
    ])
  })

  it('nothing, and what no tool serves: what is done stays, and nothing is added', async () => {
    for (const requirement of ['', '  ', 'fix the horses on the moon']) {
      const plan = await replan(weatherRun, requirement)
      expect(plan.plan.tasks.map(({ id }) => id)).toEqual(['get_weather'])
      expect(plan.added).toEqual([])
      expect(plan.confidence).toBe(0)
    }
  })

  it('after an intent of a megabyte', async () => {
    const run = runOf(`get the weather ${'in Rome '.repeat(130_000)}`, [['get_weather', 'world:get_weather']])
    const plan = await replan(run, 'send it to ann@example.com')
    expect(plan.added.map(({ task }) => task)).toEqual(['send_email'])
  })
})

it('the same run and requirement give the same plan', async () => {
  const [one, two] = [
    await replan(weatherRun, 'send it to ann@example.com'),
    await replan(weatherRun, 'send it to ann@example.com'),
  ]
  expect(one).toEqual(two)
})

it('a run of five hundred tasks is grown in bounded time', async () => {
  const tasks = Array.from(
    { length: 500 },
    (_, at): Sketch => [`read_${at}`, 'files:read_file', { arguments: { path: `${at}.md` } }],
  )
  const started = performance.now()
  const plan = await replan(runOf('read all of it', tasks), 'get the weather in Rome')
  expect(plan.plan.tasks).toHaveLength(501)
  expect(performance.now() - started).toBeLessThan(3_000)
})
