/**
 * Random workflows, cut off at every step that they store, just before it is stored and just after, some of them twice; then taken up
 * again. What has to hold whatever happened is judged at the end.
 */
import { expect, it } from 'vitest'
import { codeTool } from '../model/capability.js'
import { type Decision, isPending } from '../model/decision.js'
import { hashArguments } from '../model/hash-arguments.js'
import type { Json, JsonObject } from '../model/json.js'
import type { OnError, Plan } from '../model/plan.js'
import { isReference } from '../model/reference.js'
import { isRunEnded, type Run, rootTaskOf } from '../model/run.js'
import type { RunCommand } from '../model/run-command.js'
import type { RunEvent } from '../model/run-event.js'
import { seededRandom } from '../model/seeded-random.js'
import type { ToolCall } from '../model/tool-call.js'
import type { StoredRun } from '../store/store.js'
import { type Beginning, newBeginning } from './beginning.js'
import {
  createVirtualClock,
  type FakeTool,
  makePlan,
  makeTask,
  runOptions,
  type ScenarioTask,
} from './expect-run.contract.js'
import type { Step } from './journal.js'
import { isEnded } from './outcomes.js'
import { emptyState, reduceState } from './reduce-state.js'
import { restoreRun } from './restore-run.js'
import { type OpenRun, runPlan } from './run-plan.js'
import { plainPrograms } from './test-programs.contract.js'

/** Of each kind; some 20 steps each, cut off before and after every one of them: thousands of deaths in seconds. */
const scenarios = Number(process.env.PML_RANDOM_RUNS ?? 40)

it('a run that is cut off anywhere loses nothing that was told, repeats nothing unasked, and ends', async () => {
  for (let seed = 1; seed <= scenarios; seed++) {
    const scenario = randomScenario(seededRandom(seed), false)
    for await (const { played, where } of everyCut(scenario, seed, seededRandom(seed)))
      judge(scenario, played, where)
  }
}, 60_000)

it('with commands in between as well', async () => {
  for (let seed = 1_001; seed <= 1_000 + scenarios; seed++) {
    const scenario = randomScenario(seededRandom(seed), true)
    for await (const { played, where } of everyCut(scenario, seed, seededRandom(seed)))
      judge(scenario, played, where)
  }
}, 60_000)

it('where everything is approved, a run that was cut off gives what it would have given', async () => {
  for (let seed = 2_001; seed <= 2_000 + scenarios; seed++) {
    const scenario = { ...randomScenario(seededRandom(seed), false), approves: () => true }
    const whole = await play(scenario, []).catch((error) => fail(`seed ${seed}`, error))
    for await (const { played, where } of everyCut(scenario, seed, seededRandom(seed)))
      expect(results(played.run), where).toEqual(results(whole.run))
  }
}, 60_000)

it.each([
  ['by themselves', false],
  ['with commands in between', true],
])(
  'programs, %s: no call of one is lost or made twice unasked',
  async (_, withCommands) => {
    for (let seed = 3_001; seed <= 3_000 + scenarios / 2; seed++) {
      const scenario = withPrograms(randomScenario(seededRandom(seed), withCommands), seededRandom(seed))
      for await (const { played, where } of everyCut(scenario, seed, seededRandom(seed)))
        judge(scenario, played, where)
    }
  },
  120_000,
)

it('where everything is approved, a program that was cut off gives what it would have given', async () => {
  for (let seed = 4_001; seed <= 4_000 + scenarios / 2; seed++) {
    const random = { ...randomScenario(seededRandom(seed), false), approves: () => true }
    const scenario = withPrograms(random, seededRandom(seed))
    const whole = await play(scenario, []).catch((error) => fail(`seed ${seed}`, error))
    for await (const { played, where } of everyCut(scenario, seed, seededRandom(seed)))
      expect(valuesOf(played.run), where).toEqual(valuesOf(whole.run))
  }
}, 120_000)

interface RandomScenario {
  readonly seed: number
  /** The code of tasks that are programs. */
  readonly programs: Readonly<Record<string, string>>
  readonly tools: Readonly<Record<string, FakeTool>>
  readonly plan: readonly ScenarioTask[]
  readonly concurrentCalls: number
  readonly storesInMs: number
  readonly validateLayers: 'after' | undefined
  readonly commands: readonly { readonly atMs: number; readonly command: RunCommand }[]
  approves(decision: Decision): boolean
}

interface Cut {
  readonly atStep: number
  readonly isStored: boolean
}

interface Played {
  readonly run: Run
  readonly calls: readonly { readonly tool: string; readonly hash: string; readonly life: number }[]
  /** In the order in which they were told, of all lives. */
  readonly events: readonly RunEvent[]
  /** Decisions that were waiting when a life ended, and those that waited when the next had begun. */
  readonly handovers: readonly { readonly before: readonly string[]; readonly after: readonly string[] }[]
  readonly steps: number
}

async function* everyCut(scenario: RandomScenario, seed: number, random: () => number) {
  const { steps } = await play(scenario, []).catch((error) => fail(`seed ${seed}`, error))
  for (let atStep = 1; atStep <= steps; atStep++)
    for (const isStored of [false, true]) {
      const again = { atStep: 1 + Math.floor(random() * 6), isStored: random() < 0.5 }
      const cuts = [{ atStep, isStored }, ...(random() < 0.4 ? [again] : [])]
      const where = `seed ${seed}, ${JSON.stringify(cuts)}`
      yield { where, played: await play(scenario, cuts).catch((error: Error) => fail(where, error)) }
    }
}

function fail(where: string, error: Error): never {
  throw new Error(`${where}: ${error.message}`, { cause: error })
}

function judge(scenario: RandomScenario, { run, calls, events, handovers }: Played, where: string): void {
  expect(isRunEnded(run.status), where).toBe(true)
  for (const { id, status, error } of run.tasks) {
    expect(isEnded(status), `${where}: ${id}`).toBe(true)
    expect(error?.code, `${where}: ${id}: ${error?.message}`).not.toBe('INTERNAL')
  }
  for (const { before, after } of handovers) expect(after, where).toEqual(expect.arrayContaining([...before]))
  expectToldStays(run, events, doneAgain(scenario), where)
  expectNoneTwice(run, calls, scenario, where)
}

/** But for what somebody may have had done again. */
function expectToldStays(
  run: Run,
  events: readonly RunEvent[],
  except: ReadonlySet<string>,
  where: string,
): void {
  const now = new Map(run.tasks.map((task) => [task.id, task]))
  for (const event of events)
    if (event.type === 'task-end' && !except.has(rootTaskOf(event.task.id)))
      expect(now.get(event.task.id), `${where}: ${event.task.id}`).toEqual(event.task)
}

/** With all that depends on it. */
function doneAgain({ commands, plan }: RandomScenario): ReadonlySet<string> {
  const again = new Set(
    commands.flatMap(({ command }) =>
      command.type === 'retry' || command.type === 'modify' ? [command.task] : [],
    ),
  )
  if (again.size > 0) for (const id of ['more', 'after']) again.add(id)
  for (const { id, dependsOn } of makePlan(plan).tasks)
    if (dependsOn.some((one) => again.has(one))) again.add(id)
  return again
}

/** Calls that must not be made twice unasked: one for each task and element with such arguments, one for each approval to repeat, one for each retry. */
function expectNoneTwice(
  run: Run,
  calls: Played['calls'],
  { commands }: RandomScenario,
  where: string,
): void {
  const retries = commands.filter(({ command }) => command.type === 'retry').length
  const made = new Map<string, number>()
  for (const { tool, hash } of calls)
    if (!isRepeatable(tool)) made.set(`${tool} ${hash}`, (made.get(`${tool} ${hash}`) ?? 0) + 1)
  for (const [call, times] of made) {
    const own = run.tasks.filter((task) => `${task.tool} ${hashArguments(task.arguments)}` === call)
    const repeats = (run.decisions ?? []).filter(
      (one) =>
        one.kind === 'repeat' &&
        one.answer?.verdict === 'approve' &&
        `${one.tool} ${one.argumentsHash}` === call,
    )
    expect(times, `${where}: ${call}`).toBeLessThanOrEqual(Math.max(1, own.length) + repeats.length + retries)
  }
}

function results({ status, tasks }: Run) {
  return {
    status,
    tasks: tasks.map(({ id, status, result, error }) => ({ id, status, result, error: error?.code })),
  }
}

/** One life after the other, each but the last ended by its cut. */
async function play(scenario: RandomScenario, cuts: readonly Cut[]): Promise<Played> {
  const calls: { tool: string; hash: string; life: number }[] = []
  const events: RunEvent[] = []
  const handovers: { before: readonly string[]; after: readonly string[] }[] = []
  const store = createMemoryStore()
  const plan = planOf(scenario)
  let now = 0
  for (let life = 0; ; life++) {
    const clock = createVirtualClock(now)
    const stored = store.load()
    const before = stillWaiting(stored).map(({ id }) => id)
    const beginning: Beginning =
      stored === undefined
        ? newBeginning(plan, {
            now,
            caller: 'tester',
            finished: [],
            validateLayers: scenario.validateLayers,
          })
        : restoreRun(stored, { isRepeatable: ({ tool }) => isRepeatable(tool), isPaused: false })
    const cut = cuts[life]
    let steps = 0
    let isDead = false
    let die = (): void => {}
    const dead = new Promise<void>((resolve) => {
      die = () => {
        isDead = true
        resolve()
      }
    })
    const options = { ...runOptions(scenario.tools, clock), programs: plainPrograms(capabilities) }
    let handle: OpenRun
    const later = (ms: number, command: RunCommand): void => {
      clock.after(ms, () => {
        if (!isDead) void handle.send(command).catch(() => {})
      })
    }
    const answer = (decision: Decision): void => {
      const { id, taskId } = decision
      const verdict = scenario.approves(decision) ? 'approve' : 'reject'
      const ms = chance(scenario.seed, `${taskId} when`) * 8
      clock.after(Math.floor(ms), () => {
        if (isDead) return
        const at = clock.now()
        const command = { type: 'decide', decision: id, answer: { verdict, by: 'page', at } } as const
        void handle.send(command).catch(() => {})
      })
    }
    handle = runPlan(beginning, {
      ...options,
      limits: { concurrentCalls: scenario.concurrentCalls, retries: 0 },
      callTool: (call: ToolCall) => {
        if (isDead) return new Promise(() => {})
        calls.push({ tool: call.tool, hash: hashArguments(call.arguments), life })
        return options.callTool(call)
      },
      record: async (step) => {
        if (isDead) return new Promise(() => {})
        steps++
        if (scenario.storesInMs > 0) await clock.sleep(scenario.storesInMs)
        if (cut?.atStep === steps) {
          if (cut.isStored) store.save(step, now)
          die()
          return new Promise(() => {})
        }
        store.save(step, now)
      },
      onEvent: (event) => {
        if (isDead) return
        events.push(event)
        if (event.type === 'decision-request') answer(event.decision)
        if (event.type === 'run-pause' && event.status === 'paused') later(2, { type: 'resume' })
        if (event.type === 'run-pause' && event.status === 'layer_complete') later(1, { type: 'continue' })
      },
    })
    if (life === 0) for (const { atMs, command } of scenario.commands) later(atMs, command)
    else
      void handle.opened.then(() => {
        const pending = (handle.current().decisions ?? []).filter(isPending)
        handovers.push({ before, after: pending.map(({ id }) => id) })
        const known = new Set((stored?.run.decisions ?? []).map(({ id }) => id))
        for (const decision of pending) if (known.has(decision.id)) answer(decision)
      })
    await clock.runUntil(Promise.race([handle.result, dead]), 50).catch((error: Error) => {
      const told = handle.current().tasks.map(({ id, status }) => `${id} ${status}`)
      fail(`seed ${scenario.seed}: ${handle.current().status}: ${told.join(', ')}`, error)
    })
    now = clock.now()
    if (!isDead) return { run: await handle.result, calls, events, handovers, steps }
  }
}

/** None where commands are carried out at once: they may answer it, or make it needless. */
function stillWaiting(stored: StoredRun | undefined): readonly Decision[] {
  if (stored === undefined || stored.progress.commands.length > 0) return []
  return (stored.run.decisions ?? []).filter(isPending)
}

/** Folds steps as the database does. */
function createMemoryStore() {
  let stored: StoredRun | undefined
  return {
    save({ status, endedAt, plan, progress, ...update }: Step, now: number): void {
      // What is stored is text: nothing is shared with who gave it.
      const copy = JSON.parse(JSON.stringify({ update, plan, progress }))
      const before = stored?.run ?? { ...emptyState, decisions: [], startedAt: now }
      const state = reduceState(
        { ...emptyState, tasks: before.tasks, decisions: before.decisions ?? [] },
        copy.update,
      )
      stored = {
        run: {
          id: 'run-1',
          status,
          tasks: state.tasks,
          decisions: state.decisions,
          startedAt: before.startedAt,
          ...(endedAt !== undefined && { endedAt }),
        },
        owner: 'here',
        plan: copy.plan ?? stored!.plan,
        progress: copy.progress,
        updatedAt: now,
      }
    },
    load: () => stored,
  }
}

function randomScenario(random: () => number, withCommands: boolean): RandomScenario {
  const seed = Math.floor(random() * 1e9)
  const count = 2 + Math.floor(random() * 5)
  const tools: Record<string, FakeTool> = { more: { gives: 'more' } }
  const plan = Array.from({ length: count }, (_, at): ScenarioTask => {
    // A third of them must not be repeated: their names say so.
    const tool = `${random() < 0.35 ? 'once' : 'read'}${at}`
    tools[tool] = randomTool(tool, seed, random)
    const args: Record<string, Json> = { at }
    for (let n = 0; at > 0 && n < random() * 2; n++)
      args[`a${n}`] = randomReference(`t${Math.floor(random() * at)}`, random)
    const each = eachOf(args).filter(() => random() < 0.9)
    return {
      ...{ id: `t${at}`, tool, arguments: args, onError: pick(ways, random) },
      ...(random() < 0.15 && { requireApproval: true }),
      ...(each.length > 0 && { each, inTurn: random() < 0.5 }),
    }
  })
  return {
    seed,
    tools,
    plan,
    programs: {},
    concurrentCalls: 1 + Math.floor(random() * 4),
    storesInMs: Math.floor(random() * 3),
    validateLayers: random() < 0.2 ? 'after' : undefined,
    commands: withCommands
      ? Array.from({ length: 1 + Math.floor(random() * 3) }, () => randomCommand(count, random))
      : [],
    approves: ({ taskId, kind }) => chance(seed, `${taskId} ${kind}`) < 0.7,
  }
}

/** Some of its tasks as programs that make the calls of several tools: one after the other, side by side, and through a capability. */
function withPrograms(scenario: RandomScenario, random: () => number): RandomScenario {
  const names = Object.keys(scenario.tools)
  const call = (): string => `tools['fake:${pick(names, random)}']({ n, at: args.at ?? 0 })`
  const steps = (): string =>
    pick(
      [
        `for (const n of [0, 1]) out.push(await ${call()}.catch((error) => error.code))`,
        `out.push(...(await Promise.all([0, 1, 2].map((n) => ${call()}.catch((error) => error.code)))))`,
        `{ const n = out.length; out.push(await ${call()}) }`,
        `out.push(await capabilities.both({ tool: 'fake:${pick(names, random)}' }))`,
      ],
      random,
    )
  const programs = Object.fromEntries(
    scenario.plan.flatMap(({ id, each }) => {
      if (each !== undefined || random() < 0.4) return []
      const lines = Array.from({ length: 1 + Math.floor(random() * 3) }, steps)
      return [[id, ['const out = []', ...lines, 'return out'].join('\n')]]
    }),
  )
  return { ...scenario, programs }
}

const capabilities = {
  'cap:both': `const one = await tools[args.tool]({ n: 'one' })\nreturn [one, await tools[args.tool]({ n: 'two' }).catch((error) => error.code)]`,
}

function planOf({ plan, programs }: RandomScenario): Plan {
  const made = makePlan(plan)
  return {
    ...made,
    tasks: made.tasks.map((task) => {
      const code = programs[task.id]
      return code === undefined ? task : { ...task, tool: codeTool, program: { code } }
    }),
  }
}

/** Calls of a program are numbered as they came, which may be otherwise the second time. */
function valuesOf({ status, tasks }: Run) {
  return {
    status,
    tasks: tasks
      .filter(({ parent }) => parent === undefined)
      .map(({ id, status, result, error }) => ({ id, status, result, error: error?.code })),
  }
}

function randomCommand(count: number, random: () => number): RandomScenario['commands'][number] {
  const task = `t${Math.floor(random() * count)}`
  const commands: readonly RunCommand[] = [
    { type: 'pause' },
    { type: 'resume' },
    { type: 'continue' },
    { type: 'continue', through: true },
    { type: 'skip', task },
    { type: 'skip', task: `${task}[1]` },
    { type: 'inject', tasks: [makeTask({ id: 'more', tool: 'more', arguments: { x: { $from: task } } })] },
    {
      type: 'replan',
      requirement: 'more',
      tasks: [makeTask({ id: 'after', tool: 'more', dependsOn: [task] })],
    },
    { type: 'modify', task, arguments: { other: 1 } },
    { type: 'retry', task },
    { type: 'abort', reason: 'enough' },
  ]
  return { atMs: Math.floor(random() * 12), command: pick(commands, random) }
}

const ways: readonly OnError[] = ['fail', 'fail', 'skip', { default: [{ v: 9 }] }]

function isRepeatable(tool: string): boolean {
  return !tool.includes('once')
}

/** Gives a list or a single value, by its arguments alone, and fails for some of them. */
function randomTool(name: string, seed: number, random: () => number): FakeTool {
  const fails = random() * 0.4
  const isList = random() < 0.5
  const verdict = random()
  return {
    takesMs: Math.floor(random() * 5),
    repeatable: isRepeatable(name),
    verdict: verdict < 0.25 ? 'ask' : verdict < 0.28 ? 'block' : 'run',
    gives: (args) => {
      const own = `${name} ${hashArguments(args)}`
      if (chance(seed, own) < fails) return { isError: true, content: [{ type: 'text', text: 'no' }] }
      const length = Math.floor(chance(seed, `${own} length`) * 4)
      return isList ? Array.from({ length }, (_, v) => ({ v: `${own} ${v}` })) : { v: own }
    },
  }
}

/** The same number in [0, 1) for the same text, whoever asks. */
function chance(seed: number, text: string): number {
  return Number.parseInt(hashArguments({ seed, text }).slice(0, 8), 16) / 2 ** 32
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
