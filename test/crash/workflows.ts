/** Workflows of every shape, for the ledger. Every call that one may make has a token of its own, so that its lines can be counted. */
import type { TaskRequest } from '../../src/model/plan.js'

export type Random = () => number

export interface Workflow {
  /** Its intent: by it a run is known whose id was never told. */
  readonly name: string
  readonly shape: string
  readonly tasks: readonly TaskRequest[]
  readonly perLayer: boolean
  readonly calls: ReadonlyMap<string, TokenOf>
}

/** What a task or an element calls. */
export interface TokenOf {
  readonly token: string
  readonly tool: string
}

const tools = ['append', 'put', 'charge', 'read'] as const
const writing = ['append', 'slow_append', 'put', 'charge'] as const

export function makeWorkflow(name: string, random: Random): Workflow {
  const shape = pick(Object.keys(shapes), random)
  const maker = new Maker(name, random)
  shapes[shape]!(maker)
  return {
    name,
    shape,
    tasks: maker.tasks,
    calls: maker.calls,
    perLayer: shape === 'layers' || (shape !== 'wide' && random() < 0.1),
  }
}

/** A task more for a run that exists. */
export function makeInjected(
  name: string,
  id: string,
  dependsOn: readonly string[],
  random: Random,
): { readonly task: TaskRequest; readonly call: TokenOf } {
  const tool = pick(writing, random)
  const token = `${name}/${id}`
  return { task: { id, tool: `ledger:${tool}`, arguments: { token }, dependsOn }, call: { token, tool } }
}

const shapes: Readonly<Record<string, (make: Maker) => void>> = {
  chain(make) {
    const length = 3 + Math.floor(make.random() * 4)
    for (let i = 0; i < length; i++)
      make.task(`t${i}`, i === 0 ? 'append' : pick(writing, make.random), {
        ...(i > 0 && { after: { $from: `t${i - 1}.call` } }),
      })
  },
  wide(make) {
    const width = 4 + Math.floor(make.random() * 8)
    const ids = Array.from({ length: width }, (_, i) => `w${i}`)
    for (const id of ids) make.task(id, pick([...tools, 'slow_append'], make.random), {})
    make.task('gather', 'append', { after: ids.map((id) => ({ $from: `${id}.token` })) })
  },
  each(make) {
    make.list('list', 'done', 3 + Math.floor(make.random() * 4))
    make.each('done', 'list', pick(['append', 'put', 'charge', 'slow_append'], make.random))
    make.task('last', 'append', { after: { $from: 'done' } })
  },
  eachApproved(make) {
    make.list('list', 'gone', 3)
    make.each('gone', 'list', 'erase')
    make.task('last', 'put', { after: { $from: 'gone' } })
  },
  approvals(make) {
    make.task('before', 'append', {})
    make.task('gone', 'erase', { after: { $from: 'before.call' } })
    make.task('beside', pick(writing, make.random), {}, { requireApproval: true })
    make.task('free', 'slow_append', {})
    make.task('last', 'append', { after: [{ $from: 'gone.call' }, { $from: 'free.call' }] })
  },
  layers(make) {
    for (let layer = 0; layer < 3; layer++)
      for (const side of ['a', 'b'])
        make.task(`${side}${layer}`, pick(writing, make.random), {
          ...(layer > 0 && { after: { $from: `a${layer - 1}.call` } }),
        })
  },
  failing(make) {
    make.task('bad', pick(['append', 'put', 'charge'], make.random), { fail: true })
    make.task('kept', 'append', { after: { $from: 'bad.call' } })
    make.task('optional', 'append', { fail: true }, { onError: 'skip' })
    make.task('standIn', 'put', { fail: true }, { onError: { default: { call: 'none' } } })
    make.task('other', 'slow_append', { after: { $from: 'standIn.call' } })
  },
  slow(make) {
    make.task('one', 'slow_append', { ms: 100 + Math.floor(make.random() * 300) })
    make.task('two', 'slow_append', {})
    make.task('three', 'slow_append', { after: [{ $from: 'one.call' }, { $from: 'two.call' }] })
    make.task('four', 'erase', { after: { $from: 'three.call' } })
  },
}

class Maker {
  readonly tasks: TaskRequest[] = []
  readonly calls = new Map<string, TokenOf>()

  constructor(
    readonly name: string,
    readonly random: Random,
  ) {}

  task(id: string, tool: string, args: object, more: Partial<TaskRequest> = {}): void {
    const token = `${this.name}/${id}`
    this.calls.set(id, { token, tool })
    this.tasks.push({ id, tool: `ledger:${tool}`, arguments: { token, ...args }, ...more })
  }

  /** Gives the tokens that the elements of `of` are to have. */
  list(id: string, of: string, length: number): void {
    const items = Array.from({ length }, (_, place) => `${this.name}/${of}[${place}]`)
    this.task(id, 'read', { items })
  }

  each(id: string, list: string, tool: string): void {
    this.tasks.push({ id, tool: `ledger:${tool}`, arguments: { token: { $from: `${list}.items[*]` } } })
    // Their number is that of the list; more than there are never come.
    for (let place = 0; place < 8; place++)
      this.calls.set(`${id}[${place}]`, { token: `${this.name}/${id}[${place}]`, tool })
  }
}

export function pick<T>(values: readonly T[], random: Random): T {
  return values[Math.floor(random() * values.length)]!
}
