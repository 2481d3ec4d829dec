import { expect, it } from 'vitest'
import type { Json, JsonObject } from '../model/json.js'
import type { OnError } from '../model/plan.js'
import { isReference } from '../model/reference.js'
import type { Run } from '../model/run.js'
import { seededRandom } from '../model/seeded-random.js'
import { expectRun, type FakeTool, type ScenarioTask } from './expect-run.contract.js'
import { isEnded } from './outcomes.js'

it('whatever fails or is cut off, every task and element ends once, and a run that goes on repeats none', async () => {
  for (let seed = 1; seed <= 300; seed++) {
    const random = seededRandom(seed)
    const scenario = randomScenario(random)
    const isCut = random() < 0.5
    const commands = isCut
      ? [{ atMs: Math.floor(random() * 12), type: 'abort' as const, reason: 'enough' }]
      : []
    const first = await expectRun({ ...scenario, commands })
    const told = endsIn(first.events)
    expect(told.toSorted(), `seed ${seed}`).toEqual(idsIn(first.run))
    for (const { id, parent } of first.run.tasks)
      if (parent !== undefined && first.run.status !== 'aborted')
        expect(told.indexOf(id), `seed ${seed}: ${id}`).toBeLessThan(told.indexOf(parent))

    const whole = new Set(
      first.run.tasks
        .filter(({ parent, status }) => parent === undefined && status === 'complete')
        .map(({ id }) => id),
    )
    const finished = first.run.tasks.filter(({ id, parent }) => whole.has(parent ?? id))
    const second = await expectRun({ ...scenario, options: { ...scenario.options, finished } })
    const fresh = idsIn({ ...second.run, tasks: second.run.tasks.filter((task) => !finished.includes(task)) })
    expect(endsIn(second.events).toSorted(), `seed ${seed}, again`).toEqual(fresh)
    for (const { status, error } of [...first.run.tasks, ...second.run.tasks]) {
      expect(isEnded(status), `seed ${seed}`).toBe(true)
      expect(error?.code, `seed ${seed}`).not.toBe('INTERNAL')
    }
  }
})

function randomScenario(random: () => number) {
  const count = 2 + Math.floor(random() * 6)
  const tools: Record<string, FakeTool> = {}
  const plan = Array.from({ length: count }, (_, at): ScenarioTask => {
    tools[`x${at}`] = randomTool(random)
    const args: Record<string, Json> = {}
    for (let n = 0; at > 0 && n < 1 + random() * 2; n++)
      args[`a${n}`] = randomReference(`t${Math.floor(random() * at)}`, random)
    const each = eachOf(args).filter(() => random() < 0.8)
    return {
      ...{ id: `t${at}`, tool: `x${at}`, arguments: args, onError: pick(ways, random) },
      ...(each.length > 0 && { each, inTurn: random() < 0.5 }),
    }
  })
  return { tools, plan, options: { limits: { concurrentCalls: 1 + Math.floor(random() * 4), retries: 0 } } }
}

const ways: readonly OnError[] = ['fail', 'fail', 'skip', { default: [{ v: 9 }] }]

/** Gives a list or a single value, and fails now and then. */
function randomTool(random: () => number): FakeTool {
  const fails = random() * 0.6
  const isList = random() < 0.4
  return {
    takesMs: Math.floor(random() * 5),
    gives: () => {
      if (random() < fails) return { isError: true, content: [{ type: 'text', text: 'no' }] }
      return isList ? Array.from({ length: Math.floor(random() * 4) }, (_, v) => ({ v })) : { v: 1 }
    },
  }
}

function randomReference(task: string, random: () => number): JsonObject {
  const $from = pick([`${task}[*]`, `${task}[*]`, `${task}[*].v`, task, `${task}[0]`], random)
  return random() < 0.1 ? { $from, $as: 'list' } : { $from }
}

function eachOf(args: JsonObject): readonly string[] {
  const texts = Object.values(args).flatMap((value) =>
    isReference(value) && value.$as === undefined ? [String(value.$from)] : [],
  )
  return [...new Set(texts)].filter((text) => text.includes('[*]'))
}

function pick<Item>(items: readonly Item[], random: () => number): Item {
  return items[Math.floor(random() * items.length)]!
}

function endsIn(events: readonly string[]): readonly string[] {
  return events.flatMap((line) => /^task-end (\S+)/.exec(line)?.[1] ?? [])
}

function idsIn({ tasks }: Run): readonly string[] {
  return tasks.map(({ id }) => id).toSorted()
}
