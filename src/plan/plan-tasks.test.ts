import { describe, expect, it } from 'vitest'
import { BadTasksError, type CyclicTasksError, ToolNotFoundError, ToolQuarantinedError } from '../errors.js'
import { makeTool } from './make-tool.contract.js'
import { planTasks } from './plan-tasks.js'

const changed = { definition: makeTool('s:q').definition, hash: 'x', seenAt: 0 }
const readFile = {
  type: 'object',
  properties: {
    path: { type: 'string' },
    tags: { type: 'array', items: { type: 'string' } },
    entities: { type: 'array', items: { $ref: '#/$defs/entity' } },
    limit: { type: ['integer', 'null'] },
  },
  $defs: { entity: { type: 'object', properties: { name: { type: 'string' }, notes: { type: 'array' } } } },
}
const tools = [
  makeTool('s:t'),
  makeTool('s:q', '', { changed }),
  makeTool('s:read', '', { inputSchema: readFile }),
]
const resolve = (name: string) => {
  const tool = tools.find(({ id, name: bare }) => id === name || bare === name)
  if (!tool) throw new ToolNotFoundError(name, [])
  return tool
}
const plan = (tasks: unknown) => planTasks(tasks, { resolve })
const task = (id: string, more: object = {}) => ({ id, tool: 't', ...more })
const order = (tasks: unknown) => plan(tasks).tasks.map(({ id }) => id)

describe('a plan', () => {
  it('fills in every default and keeps the intent', () => {
    expect(planTasks([task('a')], { resolve, intent: 'try it' })).toEqual({
      intent: 'try it',
      tasks: [{ id: 'a', tool: 's:t', arguments: {}, dependsOn: [], onError: 'fail' }],
    })
  })

  it('keeps what the caller wrote', () => {
    const given = task('a', { arguments: { x: [1] }, onError: { default: null }, timeoutMs: 50 })
    expect(plan([given]).tasks[0]).toEqual({ ...given, tool: 's:t', dependsOn: [] })
  })

  it('takes null for what is left out', () => {
    const given = task('a', { arguments: null, dependsOn: null, onError: null, timeoutMs: null })
    expect(plan([given])).toEqual(plan([task('a')]))
  })

  it('makes dependencies of declarations and references, each once', () => {
    const arguments_ = { x: { $from: 'b.y' }, list: [{ deep: { $from: 'a[0]' } }, { $from: 'b' }] }
    const { tasks } = plan([
      task('a'),
      task('b'),
      task('c', { dependsOn: ['a', 'a'], arguments: arguments_ }),
    ])
    expect(tasks[2]?.dependsOn).toEqual(['a', 'b'])
  })

  it('orders topologically and otherwise as given', () => {
    expect(
      order([task('d', { dependsOn: ['b'] }), task('c'), task('b', { dependsOn: ['a'] }), task('a')]),
    ).toEqual(['c', 'a', 'b', 'd'])
    expect(order([task('x'), task('y'), task('z')])).toEqual(['x', 'y', 'z'])
  })

  it('takes 500 tasks in a chain written backwards', () => {
    const chain = Array.from({ length: 500 }, (_, i) =>
      task(`t${i}`, i < 499 ? { dependsOn: [`t${i + 1}`] } : {}),
    )
    expect(order(chain).at(0)).toBe('t499')
  })

  it('takes ids named like prototypes', () => {
    expect(
      order([task('__proto__', { arguments: { x: { $from: 'constructor' } } }), task('constructor')]),
    ).toEqual(['constructor', '__proto__'])
  })

  it('does not change what it was given', () => {
    const given = [task('b', { dependsOn: ['a', 'a'] }), task('a', { arguments: { x: 1 } })]
    const before = JSON.stringify(given)
    plan(given)
    expect(JSON.stringify(given)).toBe(before)
  })
})

describe('a task for each', () => {
  const eachOf = (args: object) => {
    const { tasks } = plan([task('list'), { id: 'read', tool: 'read', arguments: args }])
    return tasks[1]?.each
  }

  it.each<[string, object, readonly string[] | undefined]>([
    ['one value is wanted', { path: { $from: 'list.files[*].path' } }, ['list.files[*].path']],
    ['it stands within a list', { entities: [{ name: { $from: 'list[*]' } }] }, ['list[*]']],
    ['it is an item itself', { tags: ['all', { $from: 'list[*]' }] }, ['list[*]']],
    [
      'several go side by side, each named once',
      {
        path: { $from: 'list[*].a' },
        limit: { $from: 'list[*].b' },
        entities: [{ name: { $from: 'list[*].a' } }],
      },
      ['list[*].a', 'list[*].b'],
    ],
    ['a value is converted', { limit: { $from: 'list[*].n', $as: 'number' } }, ['list[*].n']],
  ])('where %s', (_, args, expected) => {
    expect(eachOf(args)).toEqual(expected)
  })

  it('is called once after the other unless its tool only reads', () => {
    const isInTurn = (annotations: object) => {
      const read = makeTool('s:read', '', { inputSchema: readFile })
      const tool = { ...read, definition: { ...read.definition, annotations } }
      const each = { id: 'read', tool: 'read', arguments: { path: { $from: 'list[*]' } } }
      return planTasks([task('list'), each], { resolve: () => tool }).tasks[1]?.inTurn ?? false
    }
    expect([{ readOnlyHint: true }, { readOnlyHint: false }, {}].map(isInTurn)).toEqual([false, true, true])
  })

  it.each<[string, object]>([
    ['an array fits', { tags: { $from: 'list[*].tag' } }],
    ['an array fits deep within', { entities: [{ notes: { $from: 'list[*].note' } }] }],
    ['the schema says nothing', { unknown: { $from: 'list[*]' } }],
    ['there is no [*]', { path: { $from: 'list.files' } }],
    ['a list is asked for', { path: { $from: 'list[*]', $as: 'list' } }],
  ])('not where %s', (_, args) => {
    expect(eachOf(args)).toBeUndefined()
  })

  it('takes the same reference for the same value where the schema does not say', () => {
    expect(eachOf({ path: { $from: 'list[*]' }, unknown: { $from: 'list[*]' } })).toEqual(['list[*]'])
  })

  it('refuses one reference that would have to be both, and takes it when the list is asked for', () => {
    const both = (tags: object) => ({ path: { $from: 'list[*]' }, tags })
    expect(() => eachOf(both({ $from: 'list[*]' }))).toThrow(
      'tasks[1] ("read"): the reference "list[*]" stands where one value is wanted and where a list is; write {"$from": "list[*]", "$as": "list"} for the list.',
    )
    expect(eachOf(both({ $from: 'list[*]', $as: 'list' }))).toEqual(['list[*]'])
  })

  it('keeps $as as it was written', () => {
    const args = { limit: { $from: 'list.n', $as: 'number' } }
    const { tasks } = plan([task('list'), { id: 'read', tool: 'read', arguments: args }])
    expect(tasks[1]).toMatchObject({ arguments: args, dependsOn: ['list'] })
  })
})

describe('what is wrong is named', () => {
  const deep = (levels: number) => JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`)

  it.each<[string, unknown, string]>([
    ['no array', { id: 'a' }, 'tasks: expected an array of tasks, got an object.'],
    ['JSON text', '[]', 'tasks: expected an array of tasks, got string "[]".'],
    ['nothing', undefined, 'tasks: expected an array of tasks, got nothing.'],
    ['no tasks', [], 'tasks: expected at least one task, got none.'],
    ['too many', Array(501).fill(task('a')), 'tasks: expected at most 500, got 501.'],
    ['a task that is no object', ['a'], 'tasks[0]: expected an object, got string "a".'],
    [
      'no id',
      [{ tool: 't' }],
      'tasks[0]: id must be a name of 1 to 100 characters without dots, brackets or spaces, got nothing.',
    ],
    [
      'an id that is a number',
      [{ id: 1, tool: 't' }],
      'tasks[0]: id must be a name of 1 to 100 characters without dots, brackets or spaces, got number 1.',
    ],
    [
      'an id with a dot',
      [task('a.b')],
      'tasks[0] ("a.b"): id must be a name of 1 to 100 characters without dots, brackets or spaces, got string "a.b".',
    ],
    [
      'the same id twice',
      [task('a'), task('b'), task('a')],
      'tasks[2] ("a"): id must be unique, and tasks[0] has it already.',
    ],
    ['no tool', [{ id: 'a' }], 'tasks[0] ("a"): tool must be the name of a tool, got nothing.'],
    [
      'arguments that are no object',
      [task('a', { arguments: [1] })],
      'tasks[0] ("a"): arguments must be an object, got an array of 1.',
    ],
    [
      'arguments too deep',
      [task('a', { arguments: deep(65) })],
      'tasks[0] ("a"): arguments must be an object of at most 64 levels, got an object.',
    ],
    [
      'arguments of any depth',
      [task('a', { arguments: deep(100_000) })],
      'tasks[0] ("a"): arguments must be an object of at most 64 levels, got an object.',
    ],
    [
      'arguments too large',
      [task('a', { arguments: { x: Array(100_001).fill(0) } })],
      'tasks[0] ("a"): arguments must be an object of at most 100000 values, got an object.',
    ],
    [
      'dependsOn that is text',
      [task('a', { dependsOn: 'b' })],
      'tasks[0] ("a"): dependsOn must be an array of at most 500 task ids, got string "b".',
    ],
    [
      'a wrong onError',
      [task('a', { onError: 'ignore' })],
      'tasks[0] ("a"): onError must be "fail", "skip" or {"default": value}, got string "ignore".',
    ],
    [
      'onError without default',
      [task('a', { onError: { value: 1 } })],
      'tasks[0] ("a"): onError must be "fail", "skip" or {"default": value}, got an object.',
    ],
    [
      'no time at all',
      [task('a', { timeoutMs: 0 })],
      'tasks[0] ("a"): timeoutMs must be a positive number of milliseconds up to 2147483647, got number 0.',
    ],
    [
      'a timer that would overflow',
      [task('a', { timeoutMs: 1e12 })],
      'tasks[0] ("a"): timeoutMs must be a positive number of milliseconds up to 2147483647, got number 1000000000000.',
    ],
    [
      'a field of another spelling',
      [task('a', { depends_on: ['b'] })],
      'tasks[0] ("a"): unknown field "depends_on"; write dependsOn.',
    ],
    [
      'a field of another name',
      [task('a', { args: {} })],
      'tasks[0] ("a"): unknown field "args"; write arguments.',
    ],
    ['an unknown field', [task('a', { constructor: 1 })], 'tasks[0] ("a"): unknown field "constructor".'],
    [
      'an approval that is neither wanted nor not',
      [task('a', { requireApproval: 'yes' })],
      'tasks[0] ("a"): requireApproval must be true or false, got string "yes".',
    ],
    [
      'an unknown dependency',
      [task('a', { dependsOn: ['x'] }), task('b')],
      'tasks[0] ("a"): dependsOn[0] "x" names no task of this plan (a, b).',
    ],
    [
      'an unknown reference',
      [task('a', { arguments: { v: { $from: 'x.y' } } })],
      'tasks[0] ("a"): the reference "x.y" in arguments names no task of this plan (a).',
    ],
    [
      'itself as dependency',
      [task('a', { dependsOn: ['a'] })],
      'tasks[0] ("a"): dependsOn[0] "a" names the task itself.',
    ],
    [
      'a reference to itself',
      [task('a', { arguments: { v: { $from: 'a.x' } } })],
      'tasks[0] ("a"): the reference "a.x" in arguments names the task itself.',
    ],
    [
      'a reference of bad syntax',
      [task('a', { arguments: { v: { $from: 'b..x' } } }), task('b')],
      'tasks[0] ("a"): a $from in arguments is wrong: "b..x" is not a reference. Write taskId, taskId.field, taskId.items[0].name, taskId["odd key"] or taskId.items[*].id.',
    ],
    [
      'a reference that is no text',
      [task('a', { arguments: { v: { $from: { task: 'b' } } } })],
      'tasks[0] ("a"): a $from in arguments is wrong: "{"task":"b"}" is not a reference. Write taskId, taskId.field, taskId.items[0].name, taskId["odd key"] or taskId.items[*].id.',
    ],
    [
      'a conversion that is none',
      [task('a', { arguments: { v: { $from: 'b.x', $as: 'date' } } }), task('b')],
      'tasks[0] ("a"): a $from in arguments is wrong: "{"$from":"b.x","$as":"date"}" is not a reference. "$as" is one of "text", "number", "boolean", "list".',
    ],
  ])('%s', (_, tasks, message) => {
    expect(() => plan(tasks)).toThrow(new BadTasksError(message, expect.anything() as never))
  })

  it('names several faults at once, the first five in full', () => {
    const error = catchError(() => plan(Array.from({ length: 7 }, (_, i) => ({ id: `t${i}`, tool: '' }))))
    expect(error.message.match(/tool must be/g)).toHaveLength(5)
    expect(error.message).toMatch(/\(and 2 more\)$/)
  })

  it('passes on what resolve throws, and refuses a quarantined tool', () => {
    expect(() => plan([{ id: 'a', tool: 'nope' }])).toThrow(ToolNotFoundError)
    expect(() => plan([{ id: 'a', tool: 'q' }])).toThrow(ToolQuarantinedError)
  })
})

describe('tasks that join a run', () => {
  const join = (tasks: unknown) => planTasks(tasks, { resolve, earlier: new Set(['done', 'open']) }).tasks

  it('may build on its tasks, and are ordered among themselves', () => {
    const given = [
      task('b', { dependsOn: ['a', 'open'] }),
      task('a', { arguments: { x: { $from: 'done.y' } } }),
    ]
    expect(join(given).map(({ id, dependsOn }) => [id, dependsOn])).toEqual([
      ['a', ['done']],
      ['b', ['a', 'open']],
    ])
  })

  it('may not take the id of one, nor name one that is not there', () => {
    expect(() => join([task('done')])).toThrow(
      'tasks[0] ("done"): id must be new, and the run has it already.',
    )
    expect(() => join([task('a', { dependsOn: ['none'] })])).toThrow(/"none" names no task .*done, open/)
    expect(() => join([task('a', { dependsOn: ['b'] }), task('b', { dependsOn: ['a', 'done'] })])).toThrow(
      'in a circle: a -> b -> a.',
    )
  })
})

describe('circles', () => {
  const cycleOf = (tasks: unknown) => (catchError(() => plan(tasks)) as CyclicTasksError).cycle

  it('are refused with the shortest one named, in order', () => {
    const tasks = [
      task('start'),
      task('a', { dependsOn: ['b'] }),
      task('b', { arguments: { x: { $from: 'c.x' } } }),
      task('c', { dependsOn: ['d', 'start'] }),
      task('d', { dependsOn: ['a'] }),
      task('x', { dependsOn: ['y', 'a'] }),
      task('y', { dependsOn: ['z'] }),
      task('z', { dependsOn: ['x'] }),
      task('after', { dependsOn: ['a'] }),
    ]
    expect(cycleOf(tasks)).toEqual(['x', 'y', 'z'])
    expect(() => plan(tasks)).toThrow('in a circle: x -> y -> z -> x.')
    expect(cycleOf(tasks.slice(0, 5))).toEqual(['a', 'b', 'c', 'd'])
  })

  it('are found among 500 tasks', () => {
    const ring = Array.from({ length: 500 }, (_, i) => task(`t${i}`, { dependsOn: [`t${(i + 1) % 500}`] }))
    expect(cycleOf(ring)).toHaveLength(500)
    expect(cycleOf(ring)[0]).toBe('t0')
  })
})

function catchError(action: () => unknown): Error {
  try {
    action()
  } catch (error) {
    return error as Error
  }
  throw new Error('nothing was thrown')
}
