/**
 * A series of kills in one home: a gateway is started, given workflows and steered; it dies, at a named point or at a random time; the
 * next one is asked whether everything that was told still holds, and goes on. Every few kills all runs are brought to their end
 * and judged by the ledger.
 */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type CrashPoint, crashPoints } from '../../src/model/crash-point.js'
import { fixture, type House, openHouse } from '../harness.js'
import { processesOf } from '../servers/processes-of.js'
import { GoneError, startGateway, type TestGateway } from './gateway.js'
import { checkSurvival, findRun, judgeRun, newTally, type Tally } from './judge.js'
import { type LedgerLine, readLedger } from './ledger.js'
import { Memory, type Violation } from './memory.js'
import { answerByCommand, type Steering, steerRun } from './steer.js'
import { makeWorkflow, pick, type Random } from './workflows.js'

export type KilledAt = CrashPoint | 'random time' | 'random time, with its servers'

export interface SeriesOptions {
  readonly name: string
  readonly databaseUrl?: string
  readonly random: Random
  /** Whether there is to be another kill. */
  goesOn(): boolean
  /** Kills of all series, to aim at what was hit least. */
  readonly killed: Map<KilledAt, number>
  readonly commands: Map<string, number>
  onRound(violations: readonly Violation[]): void
}

export interface SeriesResult {
  readonly tally: Tally
  readonly violations: readonly Violation[]
  /** Kept where something was wrong. */
  readonly home: string
}

const killsPerRound = 8
/** Longer than any of the workflows takes without being steered. */
const lifeMs = 2_500
const drainMs = 60_000
const mostOpen = 14

/** How many times a moment comes in such a life: one of the first so many is chosen. */
const momentsOf: Readonly<Record<CrashPoint, number>> = {
  'run-accepted': 4,
  'checkpoint-begin': 30,
  'checkpoint-stored': 30,
  'checkpoint-told': 30,
  'call-begin': 20,
  'call-answered': 20,
  'command-accepted': 5,
  'decision-taken': 3,
  'run-taken-up': 2,
  'run-end-stored': 4,
}

export async function runSeries(options: SeriesOptions): Promise<SeriesResult> {
  const { databaseUrl } = options
  const settings = {
    exposure: 'meta',
    replyWithinMs: 300,
    approvals: { tools: { 'ledger:charge': 'allow' } },
  }
  const env = { PML_LOG: 'error', ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }) }
  const house = openHouse({}, settings, env)
  const ledger = join(house.home, 'ledger.jsonl')
  house.writeConfig({ mcpServers: { ledger: fixture('ledger', ledger) }, ...settings })
  const series = new Series(options, house, ledger)
  try {
    while (options.goesOn() && series.violations.length === 0) await series.round()
  } finally {
    for (const pid of processesOf(house.home)) killQuietly(pid)
    if (series.violations.length === 0) {
      await sleep(50)
      await house.close()
    }
  }
  return { tally: series.tally, violations: series.violations, home: house.home }
}

class Series {
  readonly tally = newTally()
  readonly violations: Violation[] = []
  readonly #options: SeriesOptions
  readonly #house: House
  readonly #ledger: string
  #memory = new Memory()
  #workflows = 0

  constructor(options: SeriesOptions, house: House, ledger: string) {
    this.#options = options
    this.#house = house
    this.#ledger = ledger
  }

  async round(): Promise<void> {
    for (let kill = 0; kill < killsPerRound && this.#options.goesOn(); kill++) {
      await this.#live(this.#chooseDeath())
      if (this.#options.random() < 0.05) await this.#answerWithoutGateway()
      if (this.#memory.violations.length > 0) break
    }
    await this.#drain()
    this.violations.push(...this.#memory.violations)
    this.#options.onRound(this.#memory.violations)
    if (this.violations.length > 0) return
    this.#memory = new Memory()
    rmSync(this.#ledger, { force: true })
  }

  /** Of what was hit least, mostly. */
  #chooseDeath(): CrashPoint | undefined {
    const { random, killed } = this.#options
    if (random() < 0.25) return undefined
    const hits = (point: CrashPoint): number => killed.get(point) ?? 0
    const least = Math.min(...crashPoints.map(hits))
    const rare = crashPoints.filter((point) => hits(point) === least)
    return pick(random() < 0.6 ? rare : crashPoints, random)
  }

  async #live(point: CrashPoint | undefined): Promise<void> {
    const { random, killed } = this.#options
    // The first moment comes in the most lives.
    const moments = point === undefined || !killed.has(point) ? 1 : momentsOf[point]
    const crashAt = point && `${point}:${1 + Math.floor(random() * moments)}`
    const gateway = this.#start(crashAt === undefined ? {} : { PML_CRASH_AT: crashAt })
    const lasts = point === undefined ? random() * lifeMs : lifeMs
    const isWhole = random() < 0.3
    let isKilled = false
    const kill = (): void => {
      isKilled = !gateway.isGone()
      const servers = isWhole ? processesOf(this.#house.home, 'ledger.js') : []
      gateway.kill()
      for (const pid of servers) killQuietly(pid)
    }
    // A life begins when it can be spoken to; some end before.
    const early = point === undefined && random() < 0.3 ? setTimeout(kill, random() * 1_000) : undefined
    try {
      await gateway.ready
      await checkSurvival(gateway, this.#memory, this.tally)
      const over = setTimeout(kill, lasts)
      // Both to their end: a `pml approve` that outlives the gateway is one itself for a moment.
      const steering = this.#steer(gateway, false, () => gateway.isGone())
      const done = await Promise.allSettled([this.#beginWorkflows(gateway), steering])
      clearTimeout(over)
      for (const one of done) if (one.status === 'rejected') throw one.reason
    } catch (error) {
      if (!(error instanceof GoneError)) throw error
      // Its pipes are closed before its end is known.
      await Promise.race([gateway.exited, sleep(500)])
      if (!gateway.isGone()) kill()
    } finally {
      clearTimeout(early)
    }
    await gateway.exited
    if (!isKilled && (await gateway.exited) !== 'SIGKILL')
      throw new Error(`the gateway ended by itself: ${await gateway.exited}\n${gateway.stderr()}`)
    const at =
      isKilled || point === undefined ? (isWhole ? 'random time, with its servers' : 'random time') : point
    this.#options.killed.set(at, (this.#options.killed.get(at) ?? 0) + 1)
  }

  #start(env: Readonly<Record<string, string>>): TestGateway {
    const memory = this.#memory
    return startGateway({
      config: this.#house.config,
      env: { ...this.#house.env, ...env },
      onEvent: (event) => memory.hear(event),
    })
  }

  async #beginWorkflows(gateway: TestGateway): Promise<void> {
    const { random, name } = this.#options
    const open = [...this.#memory.runs.values()].filter(({ hasEnded }) => !hasEnded).length
    const wanted = Math.min(mostOpen - open, 3 + Math.floor(random() * 3))
    const begun: Promise<void>[] = []
    for (let i = 0; i < wanted && !gateway.isGone(); i++) {
      const workflow = makeWorkflow(`${name}-${++this.#workflows}`, random)
      const run = this.#memory.expect(workflow)
      const { tasks, perLayer, name: intent } = workflow
      const args = { intent, tasks, ...(perLayer && { per_layer_validation: true }) }
      const reply = gateway.call('execute_workflow', args)
      begun.push(reply.then((content) => this.#memory.seeReply(run, content)))
      // It may be gone while others are begun yet.
      reply.catch(() => {})
      begun.at(-1)!.catch(() => {})
      await sleep(random() * 80)
    }
    for (const one of await Promise.allSettled(begun)) if (one.status === 'rejected') throw one.reason
  }

  /** Looks at one run after the other, several at once, until `isOver`. */
  async #steer(gateway: TestGateway, isCalm: boolean, isOver: () => boolean): Promise<void> {
    const { random, commands } = this.#options
    const steering: Steering = {
      house: this.#house,
      gateway,
      memory: this.#memory,
      random,
      isCalm,
      count: (what) => commands.set(what, (commands.get(what) ?? 0) + 1),
    }
    const hand = async (): Promise<void> => {
      while (!isOver()) {
        const runs = [...this.#memory.runs.values()].filter(
          ({ id, hasEnded }) => id !== undefined && !(isCalm && hasEnded),
        )
        if (runs.length > 0) await steerRun(pick(runs, random), steering)
        await sleep(random() * (isCalm ? 40 : 120))
      }
    }
    const hands = await Promise.allSettled([hand(), hand(), hand()])
    for (const one of hands) if (one.status === 'rejected') throw one.reason
  }

  /** A person answers while no gateway is there. */
  async #answerWithoutGateway(): Promise<void> {
    const waiting = [...this.#memory.decisions.values()].find(
      ({ isOver, sent, run }) => !isOver && !sent && !run.mayWithdraw,
    )
    if (waiting === undefined) return
    const verdict = this.#options.random() < 0.7 ? 'approve' : 'reject'
    this.#memory.sendAnswer(waiting, verdict)
    if (await answerByCommand(this.#house, waiting.id, verdict, this.#memory)) waiting.acknowledged = verdict
  }

  async #drain(): Promise<void> {
    const memory = this.#memory
    const gateway = this.#start({})
    await gateway.ready
    await checkSurvival(gateway, memory, this.tally)
    const deadline = Date.now() + drainMs
    const isDone = (): boolean =>
      Date.now() > deadline ||
      [...memory.runs.values()].every(({ id, hasEnded }) => id === undefined || hasEnded)
    await this.#steer(gateway, true, isDone)
    this.tally.decisions += memory.decisions.size
    const lines = byToken(readLedger(this.#ledger))
    for (const run of memory.runs.values()) {
      const report = run.id === undefined ? undefined : await findRun(gateway, run.id)
      judgeRun(run, report, lines, memory, this.tally)
    }
    await gateway.end()
  }
}

function byToken(lines: readonly LedgerLine[]): ReadonlyMap<string, readonly LedgerLine[]> {
  const tokens = new Map<string, LedgerLine[]>()
  for (const line of lines) tokens.set(line.token, [...(tokens.get(line.token) ?? []), line])
  return tokens
}

function killQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // Gone already.
  }
}
