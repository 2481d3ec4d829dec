/**
 * What was read before a write is never given after it, whatever happens in whatever order. The servers here count their writes; a read
 * answers with the count at some moment while it is under way, a write raises it at some moment, or later if its caller gave up.
 */
import { expect, test } from 'vitest'
import { CallAbortedError, UpstreamRpcError } from '../../errors.js'
import { silentLog } from '../../model/log.js'
import { seededRandom } from '../../model/seeded-random.js'
import type { SpeculationOutcome } from '../../model/speculation.js'
import { formatToolId } from '../../model/tool.js'
import type { ToolCall, ToolResult } from '../../model/tool-call.js'
import { createSpeculationRoom } from './create-speculation-room.js'
import { testConfig, turn } from './test-room.contract.js'

const cases = 10_000
const steps = 24
const servers = ['a', 'b'] as const
const sessions = ['s', 'other'] as const
const someArguments = [{}, { n: 1 }]

test('a read that is asked for after a write sees that write, and is its own session’s', {
  timeout: 120_000,
}, async () => {
  const totals: Record<string, number> = {}
  for (let seed = 1; seed <= cases; seed++)
    for (const [what, count] of await oneCase(seed)) totals[what] = (totals[what] ?? 0) + count
  // Otherwise nothing was shown.
  for (const what of ['hit', 'joined', 'wasted', 'right', 'wrong', 'writes', 'late effects', 'reads'])
    expect(totals[what], what).toBeGreaterThan(cases / 50)
})

interface Pending {
  readonly call: ToolCall
  readonly server: string
  readonly isWrite: boolean
  readonly isAhead: boolean
  /** What a read has seen; of a write, whether it has had its effect. */
  version?: number
  /** When its caller gave up; it may still have its effect for half a minute. */
  leftAt?: number
  resolve(result: ToolResult): void
  reject(error: unknown): void
}

async function oneCase(seed: number): Promise<ReadonlyMap<string, number>> {
  const random = seededRandom(seed)
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)]!
  const chance = (share: number): boolean => random() < share
  const counts = new Map<string, number>()
  const count = (what: string): void => void counts.set(what, (counts.get(what) ?? 0) + 1)
  const versions: Record<string, number> = { a: 0, b: 0 }
  /** The count that whoever asks from now on must see. */
  const floors: Record<string, number> = { a: 0, b: 0 }
  const real = new WeakSet<AbortSignal>()
  const outcomes = new Map<string, SpeculationOutcome[]>()
  const asked: Promise<void>[] = []
  const wrong: string[] = []
  let pending: Pending[] = []
  /** Writes that nobody waits for any more. */
  let late: Pending[] = []
  let ms = 1_000_000
  let ids = 0

  const callTool = (call: ToolCall): Promise<ToolResult> =>
    new Promise((resolve, reject) => {
      const [server, tool] = call.tool.split(':') as [string, string]
      const one: Pending = {
        ...{ call, server, isWrite: tool === 'write', isAhead: !real.has(call.signal), resolve, reject },
      }
      pending.push(one)
      call.signal.addEventListener('abort', () => {
        if (!pending.includes(one)) return
        leave(one)
        one.reject(new CallAbortedError(call.tool))
      })
    })
  const drop = (one: Pending): void => {
    pending = pending.filter((other) => other !== one)
  }
  /** Its caller goes, and its server does not know. */
  const leave = (one: Pending): void => {
    drop(one)
    one.leftAt = ms
    if (one.isWrite && one.version === undefined) late.push(one)
    else if (one.isWrite) raiseFloor(one.server, one.version!)
  }
  const raiseFloor = (server: string, version: number): void => {
    floors[server] = Math.max(floors[server]!, version)
  }
  const compute = (one: Pending): void => {
    if (one.version !== undefined) return
    if (one.isWrite) versions[one.server]! += 1
    one.version = versions[one.server]!
  }
  const haveEffect = (one: Pending): void => {
    late = late.filter((other) => other !== one)
    compute(one)
    raiseFloor(one.server, one.version!)
    count('late effects')
  }
  const answer = (one: Pending): void => {
    const { call, server, isWrite } = one
    if (!isWrite || chance(0.8)) compute(one)
    drop(one)
    if (isWrite && one.version !== undefined) raiseFloor(server, one.version)
    const { tool, session } = call
    const said = { tool, session, arguments: call.arguments, version: one.version ?? -1 }
    if (isWrite && one.version === undefined) one.reject(new UpstreamRpcError(server, -32_000, 'refused', {}))
    else one.resolve({ content: [], structuredContent: said, ...(chance(0.05) && { isError: true }) })
  }
  const fail = (one: Pending): void => {
    leave(one)
    one.reject(new Error('lost'))
  }
  const passTime = (by: number): void => {
    // A write that settles later than anybody can know of is beyond what is promised.
    for (const one of late) if (ms + by >= one.leftAt! + 30_000 && chance(0.5)) haveEffect(one)
    late = late.filter((one) => ms + by < one.leftAt! + 30_000)
    ms += by
  }

  const room = createSpeculationRoom({
    callTool,
    config: () => testConfig,
    predict: () =>
      [0, 1, 2].map(() => ({
        ...{ tool: formatToolId(pick(servers), 'read'), arguments: pick(someArguments) },
        ...{ next: 0, p: random(), toolP: 1, sources: {}, weakest: 'none' },
      })),
    judge: () => (chance(0.2) ? 'below cut-off' : undefined),
    isSafe: (tool) => tool.endsWith(':read'),
    isNeverAhead: () => false,
    mayWrite: ({ tool }) => tool.endsWith(':write'),
    isWell: () => true,
    onCall() {},
    onEntry({ id, outcome }) {
      const known = outcomes.get(id) ?? []
      outcomes.set(id, outcome === undefined ? known : [...known, outcome])
    },
    now: () => ms,
    newId: () => `${++ids}`,
    log: silentLog,
  })
  const controllers: AbortController[] = []
  const ask = (isWrite: boolean): void => {
    const server = pick(servers)
    const controller = new AbortController()
    real.add(controller.signal)
    controllers.push(controller)
    const call: ToolCall = {
      ...{ tool: formatToolId(server, isWrite ? 'write' : 'read'), arguments: pick(someArguments) },
      ...{ session: pick(sessions), signal: controller.signal },
    }
    const floor = floors[server]!
    count(isWrite ? 'writes' : 'reads')
    const check = ({ structuredContent }: ToolResult): void => {
      if (isWrite) return
      const { version, ...said } = structuredContent as { version: number }
      const own = { tool: call.tool, session: call.session, arguments: call.arguments }
      // Compared by hand: half a million times, `expect` alone would take a minute.
      if (JSON.stringify(said) !== JSON.stringify(own)) wrong.push(`seed ${seed}: not its own result`)
      if (version < floor) wrong.push(`seed ${seed}: ${version} of ${call.tool} is older than ${floor}`)
    }
    asked.push(room.callTool(call).then(check, () => {}))
  }
  const actions = [
    () => ask(false),
    () => ask(false),
    () => ask(false),
    () => ask(true),
    () => room.lookAhead(pick(sessions)),
    () => room.lookAhead(pick(sessions)),
    () =>
      room.prepare(
        pick(sessions),
        [{ tool: formatToolId(pick(servers), 'read'), arguments: pick(someArguments) }],
        1,
      ),
    () => pending.length > 0 && compute(pick(pending)),
    () => pending.length > 0 && answer(pick(pending)),
    () => pending.length > 0 && answer(pick(pending)),
    () => pending.length > 0 && answer(pick(pending)),
    () => pending.length > 0 && chance(0.4) && fail(pick(pending)),
    () => controllers.length > 0 && chance(0.5) && pick(controllers).abort(),
    () => late.length > 0 && haveEffect(pick(late)),
    () => passTime(pick([1, 100, 5_000, 20_000, 40_000])),
    () => {
      if (!chance(0.3)) return
      // Somebody else writes, and we are told.
      const server = pick(servers)
      versions[server]! += 1
      raiseFloor(server, versions[server]!)
      room.moved(chance(0.5) ? server : undefined)
    },
    () => chance(0.1) && room.endSession(pick(sessions)),
  ]
  for (let step = 0; step < steps; step++) {
    pick(actions)()
    if (chance(0.5)) await turn()
  }
  await turn()
  while (pending.length > 0) {
    answer(pending[0]!)
    await turn()
  }
  await Promise.all(asked)
  await room.close()
  for (const [id, ends] of outcomes) {
    if (ends.length !== 1) wrong.push(`seed ${seed}: entry ${id} ended ${ends.length} times`)
    for (const end of ends) count(end)
  }
  expect(wrong).toEqual([])
  return counts
}
