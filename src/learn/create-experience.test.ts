import { beforeEach, describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../model/json.js'
import type { Plan } from '../model/plan.js'
import { createRedact } from '../model/redact.js'
import type { Run } from '../model/run.js'
import { seededRandom } from '../model/seeded-random.js'
import { formatToolId, type ToolId } from '../model/tool.js'
import type { Trace } from '../model/trace.js'
import { createExperience, type LiveExperience } from './create-experience.js'
import { keepValue } from './keep-value.js'
import { aLesson, type LessonRun } from './lesson.contract.js'
import { traceRun } from './trace-run.js'

let experience: LiveExperience

beforeEach(() => {
  experience = createExperience({ outputSchema: () => undefined })
})

function tool(name: string): ToolId {
  return formatToolId('s', name)
}

function take(run: LessonRun): void {
  experience.take(aLesson(run))
}

describe('habits', () => {
  it('tell whether an argument was wired, named in the intent, or always the same', () => {
    for (const word of ['cats', 'dogs'])
      take({
        intent: `find ${word} and save them`,
        calls: [
          {
            task: 'find',
            tool: 'find',
            arguments: { query: word, limit: 5 },
            result: { hits: [{ id: 'x-1' }] },
          },
          {
            task: 'save',
            tool: 'save',
            arguments: { id: 'x-1', folder: 'inbox' },
            links: [['id', 'find', 'hits[0].id']],
          },
        ],
      })
    expect(experience.habits(tool('find'))).toEqual([
      { argument: 'query', how: { kind: 'intent' }, count: 2, of: 2 },
      { argument: 'limit', how: { kind: 'constant', value: 5 }, count: 2, of: 2 },
    ])
    expect(experience.habits(tool('save'))).toEqual([
      { argument: 'id', how: { kind: 'wired', from: 's:find', path: 'hits[*].id' }, count: 2, of: 2 },
      { argument: 'folder', how: { kind: 'constant', value: 'inbox' }, count: 2, of: 2 },
    ])
    expect(experience.habits(tool('unknown'))).toEqual([])
  })

  it('places in lists are one argument, counted once for each task, whatever the length of the list', () => {
    const entities = [
      { name: 'Ann', entityType: 'person' },
      { name: 'Bob', entityType: 'person' },
      { name: 'Casys', entityType: 'company' },
    ]
    take({
      intent: 'remember Ann, Bob and "Casys"',
      calls: [{ task: 'a', tool: 'add', arguments: { entities } }],
    })
    take({ calls: [{ task: 'a', tool: 'add', arguments: { entities: entities.slice(0, 1) } }] })
    expect(experience.habits(tool('add'))).toEqual([
      { argument: 'entities[].entityType', how: { kind: 'constant', value: 'person' }, count: 2, of: 2 },
      { argument: 'entities[].name', how: { kind: 'constant', value: 'Ann' }, count: 1, of: 2 },
      { argument: 'entities[].name', how: { kind: 'intent' }, count: 1, of: 2 },
      { argument: 'entities[].entityType', how: { kind: 'constant', value: 'company' }, count: 1, of: 2 },
    ])
  })

  it('a small list of plain values is one constant, unless some of it comes from elsewhere', () => {
    const tags = ['bug', 'urgent']
    take({ intent: 'file it', calls: [{ task: 'a', tool: 'tag', arguments: { tags, none: [] } }] })
    take({ intent: 'mark as bug', calls: [{ task: 'a', tool: 'tag', arguments: { tags } }] })
    expect(experience.habits(tool('tag'))).toEqual([
      { argument: 'tags', how: { kind: 'constant', value: tags }, count: 1, of: 1 },
      { argument: 'none', how: { kind: 'constant', value: [] }, count: 1, of: 1 },
      { argument: 'tags[]', how: { kind: 'constant', value: 'urgent' }, count: 1, of: 1 },
      { argument: 'tags[]', how: { kind: 'intent' }, count: 1, of: 1 },
    ])
  })

  it('what is redacted, summarised or long is no constant, but counts as filled', () => {
    const values: readonly Json[] = [
      'a [redacted] b',
      'x'.repeat(201),
      `${'y'.repeat(50)}... 400 more characters`,
      null,
    ]
    for (const value of [...values, ['[redacted]'], ['a', 'b', 'c', '... 20 more'], 'plain'])
      take({ calls: [{ task: 'a', tool: 't', arguments: { value } }] })
    expect(experience.habits(tool('t'))).toEqual([
      { argument: 'value', how: { kind: 'constant', value: 'plain' }, count: 1, of: 7 },
    ])
    const fields = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`f${at}`, 'x'.repeat(300)]))
    const kept = keepValue({ mode: 'fast', fields }, createRedact([])) as JsonObject
    take({ calls: [{ task: 'a', tool: 'large', arguments: kept }] })
    expect(experience.habits(tool('large'))).toEqual([
      { argument: 'mode', how: { kind: 'constant', value: 'fast' }, count: 1, of: 1 },
    ])
  })

  it('a field whose name was a secret teaches nothing, nor does a path through one', () => {
    take({
      intent: 'send it',
      calls: [
        { task: 'list', tool: 'list', result: { '[redacted]': 'value-1' } },
        {
          task: 'send',
          tool: 'send',
          arguments: { '[redacted]': 'a', to: 'value-1', mode: 'fast' },
          links: [['to', 'list', '["[redacted]"]']],
        },
      ],
    })
    expect(experience.habits(tool('send'))).toEqual([
      { argument: 'mode', how: { kind: 'constant', value: 'fast' }, count: 1, of: 1 },
    ])
    expect(experience.runsLike('send it')).toEqual([])
  })

  it('only runs and calls that went well teach', () => {
    const call = { task: 'a', tool: 't', arguments: { x: 'y' } }
    take({ intent: 'do it', success: false, calls: [call] })
    take({ intent: 'do it', calls: [{ ...call, success: false }] })
    experience.take([])
    expect(experience.habits(tool('t'))).toEqual([])
    expect(experience.runsLike('do it')).toEqual([])
  })

  it('a value out of the middle of a text is neither wired, as no path leads to it, nor a constant', () => {
    take({
      calls: [
        { task: 'a', tool: 'create', result: 'Created issue PROJ-118 for you' },
        { task: 'b', tool: 'close', arguments: { key: 'PROJ-118' }, links: [['key', 'a', '']] },
        { task: 'c', tool: 'close', arguments: { key: 'PROJ-9' }, links: [['key', 'of another run', 'id']] },
      ],
    })
    expect(experience.habits(tool('close'))).toEqual([])
  })

  it('keep the frequent, and of many others the newest', () => {
    const use = (value: string) => take({ calls: [{ task: 'a', tool: 't', arguments: { value } }] })
    for (let at = 0; at < 3; at++) use('usual')
    for (let at = 0; at < 100; at++) use(`other ${at}`)
    const habits = experience.habits(tool('t'))
    expect(habits).toHaveLength(20)
    expect(habits[0]).toEqual({
      argument: 'value',
      how: { kind: 'constant', value: 'usual' },
      count: 3,
      of: 103,
    })
    expect(habits[1]).toMatchObject({ how: { value: 'other 99' } })
  })
})

describe('past runs', () => {
  it('are as they were planned: references where values came from, and what they depend on', () => {
    take({
      intent: 'close the first open issue of casys/pml',
      calls: [
        {
          ...{ task: 'list', tool: 'list_issues', arguments: { repo: 'casys/pml', state: 'open' } },
          result: { issues: [{ number: 41 }, { number: 42 }] },
        },
        { task: 'auth', tool: 'auth', arguments: { key: '[redacted]' } },
        {
          ...{ task: 'close', tool: 'close_issue', after: ['auth'] },
          arguments: { repo: 'casys/pml', issue: { number: '42' }, why: ['stale'] },
          links: [['issue.number', 'list', 'issues[1].number']],
        },
      ],
    })
    expect(experience.runsLike('close the first open issue of casys/other')).toMatchObject([
      {
        similarity: 1,
        run: {
          intent: 'close the first open issue of casys/pml',
          tasks: [
            {
              id: 'list',
              tool: 's:list_issues',
              arguments: { repo: 'casys/pml', state: 'open' },
              dependsOn: [],
            },
            { id: 'auth', arguments: { key: '[redacted]' } },
            {
              id: 'close',
              arguments: {
                repo: 'casys/pml',
                issue: { number: { $from: 'list.issues[1].number', $as: 'text' } },
                why: ['stale'],
              },
              dependsOn: ['auth', 'list'],
            },
          ],
        },
      },
    ])
  })

  it('a task that was done for each is one, and is counted once', () => {
    const paths = ['a.md', 'b.md', 'c.md']
    take({
      intent: 'sum up all notes',
      calls: [
        { task: 'list', tool: 'list', arguments: { path: 'notes' }, result: { files: paths } },
        // In the order in which they ended.
        ...[2, 0, 1].map((at) => ({
          ...{ task: `read[${at}]`, tool: 'read', after: ['list'] },
          arguments: { path: paths[at]!, encoding: 'utf8' },
          result: { content: `text ${at}` },
          links: [['path', 'list', 'files[*]'] as const],
        })),
        ...[0, 1, 2].map((at) => ({
          ...{ task: `count[${at}]`, tool: 'count', after: [`read[${at}]`] },
          arguments: { text: `text ${at}` },
          links: [['text', `read[${at}]`, '[*].content'] as const],
        })),
        {
          ...{ task: 'sum', tool: 'sum', after: ['read[0]', 'read[1]', 'read[2]'] },
          arguments: { texts: ['text 0', 'text 1', 'text 2'], first: 'text 0', third: 'text 2' },
          links: [
            ['texts', 'read[0]', '[*].content'],
            ['texts', 'read[1]', '[*].content'],
            ['first', 'read[0]', '[0].content'],
            // Found, not declared: it leads from the element's own result.
            ['third', 'read[2]', 'content'],
          ],
        },
      ],
    })
    expect(experience.runsLike('sum up all notes')[0]!.run.tasks).toEqual([
      { id: 'list', tool: 's:list', arguments: { path: 'notes' }, dependsOn: [] },
      {
        ...{ id: 'read', tool: 's:read', dependsOn: ['list'] },
        arguments: { path: { $from: 'list.files[*]' }, encoding: 'utf8' },
      },
      {
        id: 'count',
        tool: 's:count',
        arguments: { text: { $from: 'read[*].content' } },
        dependsOn: ['read'],
      },
      {
        ...{ id: 'sum', tool: 's:sum', dependsOn: ['read'] },
        arguments: {
          texts: { $from: 'read[*].content' },
          first: { $from: 'read[0].content' },
          third: { $from: 'read[2].content' },
        },
      },
    ])
    expect(experience.habits(tool('read'))).toEqual([
      { argument: 'path', how: { kind: 'wired', from: 's:list', path: 'files[*]' }, count: 1, of: 1 },
      { argument: 'encoding', how: { kind: 'constant', value: 'utf8' }, count: 1, of: 1 },
    ])
    expect(experience.habits(tool('count'))).toEqual([
      { argument: 'text', how: { kind: 'wired', from: 's:read', path: 'content' }, count: 1, of: 1 },
    ])
    const paths3 = experience.habits(tool('sum')).map(({ how }) => how.kind === 'wired' && how.path)
    expect(paths3).toEqual(['content', 'content', 'content'])
  })

  it('say when a value came out of a text: the next time it is another, unless the intent says it', () => {
    const calls = [
      { task: 'create', tool: 'create', result: 'Created PROJ-118 for you' },
      {
        task: 'close',
        tool: 'close',
        arguments: { key: 'PROJ-118' },
        links: [['key', 'create', '']] as const,
      },
    ]
    take({ intent: 'make an issue and close it', calls })
    take({ intent: 'close PROJ-118 once it is made', calls })
    expect(experience.runsLike('make an issue and close it')).toMatchObject([{ run: { isStale: true } }])
    expect(experience.runsLike('close PROJ-118 once it is made')[0]!.run.isStale).toBeUndefined()
  })

  it('say when a value was too large to be kept whole, unless it was wired', () => {
    const rows = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`f${at}`, at]))
    const text = keepValue({ text: 'x'.repeat(20_000) }, createRedact([])) as JsonObject
    const object = keepValue({ rows, text: 'y'.repeat(20_000) }, createRedact([])) as JsonObject
    take({ intent: 'store the notes', calls: [{ task: 'a', tool: 'store', arguments: text }] })
    take({ intent: 'keep all rows', calls: [{ task: 'a', tool: 'store', arguments: object }] })
    take({
      intent: 'copy the page',
      calls: [
        { task: 'get', tool: 'get', result: { body: text.text! } },
        { task: 'a', tool: 'store', arguments: text, links: [['text', 'get', 'body']] },
      ],
    })
    expect(experience.runsLike('store the notes')[0]!.run.isStale).toBe(true)
    expect(experience.runsLike('keep all rows')[0]!.run.isStale).toBe(true)
    expect(experience.runsLike('copy the page')[0]!.run.isStale).toBeUndefined()
  })

  it('teach nothing of what an earlier run had done for them', () => {
    const base = { onError: 'fail', dependsOn: [] } as const
    const plan: Plan = {
      tasks: [
        { ...base, id: 'read', tool: tool('read'), arguments: { path: 'a.txt' } },
        { ...base, id: 'save', tool: tool('save'), arguments: { text: { $from: 'read' }, mode: 'new' } },
      ],
    }
    const run: Run = {
      ...{ id: 'run', intent: 'read a.txt. save it', status: 'complete', startedAt: 10, endedAt: 50 },
      tasks: [
        {
          ...{ id: 'save', tool: tool('save'), status: 'complete', startedAt: 20, ms: 1, result: 'ok' },
          arguments: { text: 'the text of a.txt', mode: 'new' },
        },
      ],
    }
    experience.take(traceRun(plan, run, { redact: createRedact([]) }))
    expect(experience.runsLike('read a.txt. save it')).toEqual([])
    expect(experience.habits(tool('save'))).toEqual([
      { argument: 'mode', how: { kind: 'constant', value: 'new' }, count: 1, of: 1 },
    ])
  })

  it('are read so from what is traced of a run', () => {
    const [list, read] = [tool('list'), tool('read')]
    const each = ['list[*]']
    const done = { status: 'complete', startedAt: 10, ms: 1 } as const
    const base = { onError: 'fail', dependsOn: [] } as const
    const plan: Plan = {
      tasks: [
        { ...base, id: 'list', tool: list, arguments: { path: 'notes' } },
        {
          ...base,
          id: 'read',
          tool: read,
          arguments: { path: { $from: 'list[*]' } },
          dependsOn: ['list'],
          each,
        },
        {
          ...base,
          id: 'sum',
          tool: tool('sum'),
          arguments: { texts: { $from: 'read[*].text' } },
          dependsOn: ['read'],
        },
      ],
    }
    const texts = ['one', 'two']
    const run: Run = {
      ...{ id: 'run', intent: 'sum up notes', status: 'complete', startedAt: 10, endedAt: 50 },
      tasks: [
        { ...done, id: 'list', tool: list, arguments: { path: 'notes' }, result: 'a.md\nb.md' },
        {
          ...done,
          id: 'read',
          tool: read,
          arguments: {},
          startedAt: 20,
          result: texts.map((text) => ({ text })),
        },
        ...['a.md', 'b.md'].map((path, at) => ({
          ...{ ...done, id: `read[${at}]`, parent: 'read', tool: read, arguments: { path }, startedAt: 20 },
          result: { text: texts[at]! },
        })),
        { ...done, id: 'sum', tool: tool('sum'), arguments: { texts }, startedAt: 30, result: 2 },
      ],
    }
    experience.take(traceRun(plan, run, { redact: createRedact([]) }))
    expect(experience.runsLike('sum up notes')[0]!.run.tasks).toEqual(
      plan.tasks.map((task) => ({
        ...{ id: task.id, tool: task.tool, arguments: task.arguments, dependsOn: task.dependsOn },
      })),
    )
    expect(experience.habits(read)).toEqual([
      { argument: 'path', how: { kind: 'wired', from: list, path: '[*]' }, count: 1, of: 1 },
    ])
  })

  it('come the most similar first, the newest of equals, at most five, and none that is about something else', () => {
    for (let at = 0; at < 4; at++)
      take({ intent: `list the open issues of repo ${at}00`, calls: [{ task: 'a', tool: 't' }] })
    take({ intent: 'list the closed issues of repo 7', calls: [{ task: 'a', tool: 't' }] })
    take({ intent: 'send a mail to ann', calls: [{ task: 'a', tool: 't' }] })
    take({ intent: 'list open issues of repo 9, newest', calls: [{ task: 'a', tool: 't' }] })
    take({ intent: 'listing open issue of repos "x"', calls: [{ task: 'a', tool: 't' }] })
    const found = experience.runsLike('List open issues of repo #12!')
    expect(found.map(({ run, similarity }) => [run.intent, similarity])).toEqual([
      ['listing open issue of repos "x"', 1],
      ['list the open issues of repo 300', 1],
      ['list the open issues of repo 200', 1],
      ['list the open issues of repo 100', 1],
      ['list the open issues of repo 000', 1],
    ])
    expect(experience.runsLike('list closed issues of repo 5, newest')[0]).toMatchObject({
      run: { intent: 'list the closed issues of repo 7' },
      similarity: 5 / 6,
    })
    for (const other of ['', 'please', '"x"', '42', 'bake a cake'])
      expect(experience.runsLike(other)).toEqual([])
  })

  it('what is too large to be a pattern is not remembered, but its habits are', () => {
    const text = 'x'.repeat(9_000)
    const calls = ['a', 'b'].map((task) => ({ task, tool: 'write', arguments: { text, mode: 'append' } }))
    take({ intent: 'write it down', calls })
    expect(experience.runsLike('write it down')).toEqual([])
    expect(experience.habits(tool('write'))).toHaveLength(1)
  })

  it('two thousand are searched in well under a millisecond, and older ones are forgotten', () => {
    const random = seededRandom(5)
    const words = Array.from(
      { length: 300 },
      (_, at) => `w${String.fromCharCode(97 + (at % 26))}${'ou'.repeat(1 + (at % 7))}k`,
    )
    const anIntent = () =>
      `please list ${Array.from({ length: 8 }, () => words[Math.floor(random() * words.length)]).join(' ')} in "x" to 42`
    const calls = [{ task: 'a', tool: 't' }]
    take({ intent: 'the very first of all', calls })
    const intents = Array.from({ length: 2_000 }, anIntent)
    for (const intent of intents) take({ intent, calls })
    expect(experience.runsLike('the very first of all')).toEqual([])
    const times = intents.slice(-200).map((intent) => {
      const begin = performance.now()
      expect(experience.runsLike(intent)[0]!.similarity).toBe(1)
      return performance.now() - begin
    })
    // Measured: a median of .15 ms on two busy cores.
    expect(times.toSorted((a, b) => a - b)[100]).toBeLessThan(2)
  })
})

describe('loading', () => {
  async function* given(lessons: readonly (readonly Trace[])[], between: () => void) {
    for (const traces of lessons) {
      yield { traces }
      between()
    }
  }

  it('comes to the same as taking in one after the other, and misses and repeats nothing that ends meanwhile', async () => {
    const lessons = Array.from({ length: 6 }, (_, at) =>
      aLesson({ intent: `count to ${at}`, calls: [{ task: 'a', tool: 't', arguments: { to: 'there' } }] }),
    )
    const [stored, both, live] = [lessons.slice(0, 4), lessons[4]!, lessons[5]!]
    let isFirst = true
    await experience.load(
      given([...stored, both], () => {
        if (!isFirst) return
        isFirst = false
        experience.take(both)
        experience.take(live)
        expect(experience.habits(tool('t'))).toMatchObject([{ count: 2 }])
      }),
    )
    expect(experience.habits(tool('t'))).toMatchObject([{ count: 6, of: 6 }])
    expect(experience.runsLike('count to 9')).toHaveLength(5)
    expect(experience.runsLike('count to 9')[0]!.run.id).toBe(live[0]!.runId)
  })

  it('one that fails leaves what was known', async () => {
    take({ intent: 'count', calls: [{ task: 'a', tool: 't' }] })
    const broken = given([aLesson({ calls: [] })], () => {
      throw new Error('The database is away.')
    })
    await expect(experience.load(broken)).rejects.toThrow('away')
    expect(experience.runsLike('count')).toHaveLength(1)
  })
})
