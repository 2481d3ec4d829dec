/**
 * Promise 1: what was told is never lost nor done twice, whenever the process dies. `npm run crash-test` runs this file alone;
 * `npm run crash-test:long` the same until there were 1,000 kills on each database.
 *
 *   PML_CRASH_SECONDS=60     how long, for each database; twice as long at most while some moment was not met
 *   PML_CRASH_KILLS=1000     how many kills instead, for each database
 *   PML_CRASH_STORE=pglite   or postgres: that one alone
 *   PML_CRASH_SEED=7         which workflows, commands and deaths; when each thing happens is up to the machine
 */
import { describe, expect, it } from 'vitest'
import { crashPoints } from '../src/model/crash-point.js'
import { seededRandom } from '../src/model/seeded-random.js'
import { newTally, type Tally } from './crash/judge.js'
import { type KilledAt, runSeries, type SeriesResult } from './crash/series.js'
import { findPostgres, startPostgres } from './start-postgres.js'

const { PML_CRASH_SECONDS, PML_CRASH_KILLS, PML_CRASH_STORE, PML_CRASH_SEED } = process.env
const kills = PML_CRASH_KILLS === undefined ? undefined : Number(PML_CRASH_KILLS)
const seconds = kills === undefined ? Number(PML_CRASH_SECONDS ?? 30) : Number.POSITIVE_INFINITY
const seed = Number(PML_CRASH_SEED ?? Math.floor(Math.random() * 1_000_000))
const timeout = 12 * 60 * 60_000
/** As many as the machine has cores, commonly. */
const together = 2
/** A data directory that is older has seen enough. */
const killsPerHome = 64

describe('a gateway that is killed at any moment', () => {
  it.runIf(PML_CRASH_STORE !== 'postgres')(
    'keeps what it told, on the embedded database',
    async () => check(await crashTest('pglite', async () => undefined)),
    timeout,
  )

  const bin = findPostgres()
  if (bin === undefined) console.info('skipped: there is no PostgreSQL on this machine')
  it.runIf(PML_CRASH_STORE !== 'pglite' && bin !== undefined)(
    'keeps what it told, on PostgreSQL',
    async () => {
      const postgres = await startPostgres(bin!)
      try {
        check(await crashTest('postgres', postgres.createDatabase))
      } finally {
        await postgres.stop()
      }
    },
    timeout,
  )
})

interface CrashTest {
  readonly killed: ReadonlyMap<KilledAt, number>
  readonly results: readonly SeriesResult[]
}

async function crashTest(
  store: string,
  createDatabase: () => Promise<string | undefined>,
): Promise<CrashTest> {
  const killed = new Map<KilledAt, number>()
  const commands = new Map<string, number>()
  const results: SeriesResult[] = []
  const startedAt = Date.now()
  const count = (): number => [...killed.values()].reduce((sum, one) => sum + one, 0)
  const wasEverywhere = (): boolean => crashPoints.every((point) => killed.has(point))
  const goesOn = (): boolean =>
    (kills === undefined || count() < kills) &&
    Date.now() - startedAt < seconds * 1_000 * (wasEverywhere() ? 1 : 2) &&
    results.every(({ violations }) => violations.length === 0)
  const lane = async (lane: number): Promise<void> => {
    for (let home = 1; goesOn(); home++) {
      const until = count() + killsPerHome * together
      const databaseUrl = await createDatabase()
      results.push(
        await runSeries({
          name: `${store}-${lane}-${home}`,
          ...(databaseUrl !== undefined && { databaseUrl }),
          random: seededRandom(seed * 1_000 + lane * 100 + home),
          goesOn: () => goesOn() && count() < until,
          killed,
          commands,
          onRound(violations) {
            const took = Math.round((Date.now() - startedAt) / 1_000)
            say(
              `${store}, lane ${lane}: ${count()} kills in ${took} s, violations in this round ${violations.length}`,
            )
          },
        }),
      )
    }
  }
  await Promise.all(Array.from({ length: together }, (_, at) => lane(at + 1)))
  report(store, killed, commands, results)
  return { killed, results }
}

function check({ results, killed }: CrashTest): void {
  expect(results.flatMap(({ violations }) => violations)).toEqual([])
  const count = [...killed.values()].reduce((sum, one) => sum + one, 0)
  // A handful of kills cannot have been everywhere.
  if (count < 20) return
  expect(crashPoints.filter((point) => !killed.has(point))).toEqual([])
}

function report(
  store: string,
  killed: ReadonlyMap<KilledAt, number>,
  commands: ReadonlyMap<string, number>,
  results: readonly SeriesResult[],
): void {
  const sum = newTally()
  for (const { tally } of results)
    for (const key of Object.keys(sum) as (keyof Tally)[]) sum[key] += tally[key]
  const violations = results.flatMap(({ violations }) => violations)
  const rows: (readonly [string, number])[] = [
    ...[...crashPoints, 'random time' as const, 'random time, with its servers' as const].map(
      (point) => [`killed at ${point}`, killed.get(point) ?? 0] as const,
    ),
    ['kills', [...killed.values()].reduce((all, one) => all + one, 0)],
    ['runs brought to their end', sum.runs],
    ['calls in the ledger', sum.calls],
    ['ends of tasks told', sum.tasksTold],
    ['repeated by rule (reads, idempotent, with a key)', sum.repeatedByRule],
    ['repeats of the others: asked for', sum.repeatsAsked],
    ['repeats of the others: made', sum.repeatsMade],
    ['decisions', sum.decisions],
    ['decisions that outlived a process', sum.decisionsSurvived],
    ...[...commands].sort().map(([what, times]) => [`sent: ${what}`, times] as const),
    ['violations', violations.length],
  ]
  say(`\n${store}, seed ${seed}\n${rows.map(([name, value]) => `  ${name.padEnd(52)}${value}`).join('\n')}`)
  for (const { wrong, run, task, evidence } of violations)
    say(`VIOLATION ${wrong}: run ${run}, task ${task || '-'}: ${evidence}`)
  for (const { home, violations: own } of results) if (own.length > 0) say(`kept: ${home}`)
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}
