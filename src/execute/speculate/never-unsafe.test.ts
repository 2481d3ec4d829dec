/** Nothing that is learned, predicted or configured makes a tool run ahead that may not: 10,000 states, each with its own rules. */
import { expect, test } from 'vitest'
import { CallAbortedError } from '../../errors.js'
import { isNeverAhead } from '../../model/is-never-ahead.js'
import type { JsonObject } from '../../model/json.js'
import { silentLog } from '../../model/log.js'
import type { PredictedCall } from '../../model/predicted-call.js'
import { seededRandom } from '../../model/seeded-random.js'
import type { Refusal, Speculation, SpeculationConfig, SpeculationMode } from '../../model/speculation.js'
import { formatToolId, type ToolAnnotations, type ToolId } from '../../model/tool.js'
import type { ToolCall, ToolResult } from '../../model/tool-call.js'
import { createSpeculationRoom } from './create-speculation-room.js'
import { text, turn } from './test-room.contract.js'

const cases = 10_000
/** DESIGN 8, once more: a word that is lost from the list of the house is missed here. */
const acts =
  'delete remove drop truncate destroy wipe purge erase clear reset revert rollback format kill terminate stop shutdown restart deploy release publish push merge force pay payment purchase buy order book charge refund transfer send email mail message post tweet reply notify call invite share grant revoke approve sign submit execute exec run eval install uninstall write create insert upsert set update put patch add edit modify move rename upload import save store commit start enable disable'.split(
    ' ',
  )
const reads = ['get', 'list', 'read', 'search', 'find', 'show', 'user', 'file', 'page', 'status']
const servers = ['fs', 'git', 'shop']
const shares = [Number.NaN, -1, 0, 0.5, 1, 2, Number.POSITIVE_INFINITY]
const modes: readonly SpeculationMode[] = [
  'on',
  'on',
  'on',
  'on',
  'shadow',
  'off',
  'maybe' as SpeculationMode,
]
const verdicts: readonly (Refusal | undefined)[] = [
  ...[undefined, undefined, undefined, undefined, undefined, undefined],
  ...(['below threshold', 'below cut-off'] as const),
]
const hour = 3_600_000

test('no tool that is not safe, never ahead or switched off is called, and never too many', {
  timeout: 120_000,
}, async () => {
  const totals = { ahead: 0, real: 0, refusals: new Map<string, number>() }
  for (let seed = 1; seed <= cases; seed++) await oneState(seed, totals)
  // Otherwise nothing was shown.
  expect(totals.ahead).toBeGreaterThan(cases / 2)
  expect([...totals.refusals.keys()].sort()).toEqual(
    [
      ...['below cut-off', 'below threshold', 'cost', 'never ahead', 'not safe', 'off', 'rate limited'],
      ...['server not well', 'too many at once', 'unused before', 'waste budget', 'write under way'],
    ].sort(),
  )
})

interface TestTool {
  readonly id: ToolId
  readonly server: string
  readonly isForbidden: boolean
  readonly isNever: boolean
  isSafe: boolean
  readonly writes: boolean
}

interface Totals {
  ahead: number
  real: number
  readonly refusals: Map<string, number>
}

async function oneState(seed: number, totals: Totals): Promise<void> {
  const random = seededRandom(seed)
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)]!
  const chance = (share: number): boolean => random() < share
  const tools = Array.from({ length: 1 + Math.floor(random() * 6) }, () => randomTool(pick, chance))
  const usually = (usual: number, odd: readonly number[]): number => (chance(0.8) ? usual : pick(odd))
  const find = (id: ToolId): TestTool | undefined => tools.find((tool) => tool.id === id)
  const entries = new Map<string, Speculation>()
  const real = new WeakSet<AbortSignal>()
  const underWay = new Set<() => void>()
  const wrong: string[] = []
  const ends: (() => void)[] = []
  const writing = new Map<string, number>()
  let config = randomConfig()
  let ms = 1_000_000
  let ids = 0
  const heedsStops = chance(0.7)

  function randomConfig(): SpeculationConfig {
    const table = <Value>(values: readonly Value[]): Record<string, Value> =>
      Object.fromEntries(
        [...tools.map(({ id }) => id), ...servers.map((name) => `${name}:*`), '*']
          .filter(() => chance(0.08))
          .map((name) => [name, pick(values)]),
      )
    return {
      ...{ mode: pick(modes), preset: 'eager', tools: table(modes) },
      ...{
        costPerCall: table([0, 0.01, 0.5, Number.NaN, -1]),
        maxCost: usually(0.1, [0, Number.NaN]),
      },
      wastePerHour: usually(120, [3, 2, 1, 0, Number.NaN]),
      wastePerServerPerHour: usually(60, [2, 1, 0]),
    }
  }
  /** The rules change under the hands of whoever asks them. */
  const flip = (): void => {
    if (chance(0.05)) for (const tool of tools) if (chance(0.3)) tool.isSafe = !tool.isSafe
    if (chance(0.03)) config = { ...config, tools: { ...config.tools, [pick(tools).id]: pick(modes) } }
    if (chance(0.005)) throw new Error('broken')
  }
  const unused = (server?: string): number =>
    [...entries.values()].filter(
      ({ tool, decision, outcome, predictedAt }) =>
        decision === 'started' &&
        outcome !== 'hit' &&
        outcome !== 'joined' &&
        predictedAt > ms - hour &&
        (server === undefined || find(tool)?.server === server),
    ).length
  const isOn = ({ id, server }: TestTool): boolean => {
    const said = config.tools[id] ?? config.tools[`${server}:*`] ?? config.tools['*'] ?? 'on'
    return config.mode === 'on' && said === 'on'
  }
  const checkAhead = (call: ToolCall): void => {
    totals.ahead += 1
    const tool = find(call.tool)
    const rules: Record<string, boolean> = {
      'it is safe': tool?.isSafe === true,
      'it is not forbidden': tool?.isForbidden === false,
      'it does not write': tool?.writes === false,
      'it is switched on': tool !== undefined && isOn(tool),
      'at most three run': underWay.size < 3,
      'the budget holds': unused() < config.wastePerHour,
      'its server’s budget holds': unused(tool?.server) < config.wastePerServerPerHour,
      'nothing writes': (writing.get(tool?.server ?? '') ?? 0) === 0,
      'nobody can be asked': call.client === undefined,
    }
    for (const [rule, holds] of Object.entries(rules))
      if (!holds) wrong.push(`seed ${seed}, ${call.tool}: not true that ${rule}`)
  }
  const callTool = (call: ToolCall): Promise<ToolResult> => {
    const isAhead = !real.has(call.signal)
    const writes = !isAhead && (find(call.tool)?.writes ?? true)
    const server = find(call.tool)?.server ?? ''
    if (isAhead) checkAhead(call)
    if (writes) writing.set(server, (writing.get(server) ?? 0) + 1)
    return new Promise((resolve, reject) => {
      const over = (): void => {
        underWay.delete(over)
        if (writes) writing.set(server, writing.get(server)! - 1)
      }
      if (isAhead) underWay.add(over)
      let isOver = false
      const end = (how: () => void) => (): void => {
        if (isOver) return
        isOver = true
        over()
        how()
      }
      ends.push(
        end(
          pick([
            () => resolve(text('x')),
            () => resolve(text('x')),
            () => resolve(text('x')),
            () => resolve({ ...text('HTTP 429'), isError: true }),
            () => resolve({ content: [], resultType: 'input_required' }),
            () => reject(new Error('no')),
          ]),
        ),
      )
      if (heedsStops || !isAhead)
        call.signal.addEventListener(
          'abort',
          end(() => reject(new CallAbortedError(call.tool))),
        )
    })
  }
  const room = createSpeculationRoom({
    callTool,
    config: () => config,
    predict: () => {
      flip()
      return Array.from({ length: Math.floor(random() * 12) }, () => randomPrediction(tools, pick, chance))
    },
    judge: () => {
      flip()
      return pick(verdicts)
    },
    isSafe: (id) => find(id)?.isSafe ?? false,
    isNeverAhead: (id) => find(id)?.isNever ?? true,
    mayWrite: ({ tool }) => find(tool)?.writes ?? true,
    isWell: () => {
      flip()
      return chance(0.95)
    },
    onCall: flip,
    onEntry(entry) {
      entries.set(entry.id, entry)
      if (entry.refusal) totals.refusals.set(entry.refusal, (totals.refusals.get(entry.refusal) ?? 0) + 1)
      flip()
    },
    now: () => ms,
    newId: () => `${++ids}`,
    log: silentLog,
  })

  const steps = [
    () => room.lookAhead(pick(sessions)),
    () => room.lookAhead(pick(sessions)),
    () =>
      room.prepare(
        pick(sessions),
        Array.from({ length: 4 }, () => ({ tool: pick(tools).id, arguments: pick(someArguments) })),
        1,
      ),
    () => {
      const call = pick(tools)
      const controller = new AbortController()
      real.add(controller.signal)
      totals.real += 1
      room
        .callTool({
          tool: call.id,
          arguments: pick(someArguments),
          session: pick(sessions),
          signal: controller.signal,
        })
        .catch(() => {})
      if (chance(0.2)) controller.abort()
    },
    () => ends.splice(0, 1 + Math.floor(random() * 3)).forEach((end) => void end()),
    () => {
      ms += pick([1, 1_000, 31_000, 61_000, hour])
    },
    () => (chance(0.3) ? room.moved(chance(0.5) ? pick(servers) : undefined) : undefined),
    () => (chance(0.2) ? room.endSession(pick(sessions)) : undefined),
    () => {
      if (chance(0.3)) config = randomConfig()
    },
  ]
  for (let step = 0; step < 16; step++) {
    pick(steps)()
    if (chance(0.5)) await turn()
  }
  for (const end of ends) end()
  await room.close()
  expect(wrong).toEqual([])
}

const sessions = ['s', 'other']
const someArguments: readonly JsonObject[] = [{}, { path: 'a' }, { path: 'b', n: 1 }]
const odd = [
  undefined,
  null,
  [],
  'text',
  { n: 1n },
  { __proto__: null },
  { a: undefined },
] as unknown as JsonObject[]

function randomTool(
  pick: <Item>(items: readonly Item[]) => Item,
  chance: (share: number) => boolean,
): TestTool {
  const server = pick(servers)
  const words = Array.from({ length: 1 + (chance(0.5) ? 1 : 0) + (chance(0.3) ? 1 : 0) }, () =>
    chance(0.15) ? pick(acts) : pick(reads),
  )
  const name = chance(0.5) ? words.join(pick(['_', '-', '.'])) : camelCase(words)
  const annotations: ToolAnnotations = {
    ...(chance(0.4) && { readOnlyHint: chance(0.8) }),
    ...(chance(0.2) && { destructiveHint: chance(0.3) }),
  }
  const definition = { name, inputSchema: {}, annotations }
  return {
    id: formatToolId(server, name),
    server,
    isForbidden:
      words.some((word) => acts.includes(word)) ||
      annotations.readOnlyHint === false ||
      annotations.destructiveHint === true,
    isNever: isNeverAhead({ name, definition }),
    isSafe: chance(0.8),
    writes: chance(0.15),
  }
}

function camelCase(words: readonly string[]): string {
  return words.map((word, at) => (at === 0 ? word : word[0]!.toUpperCase() + word.slice(1))).join('')
}

function randomPrediction(
  tools: readonly TestTool[],
  pick: <Item>(items: readonly Item[]) => Item,
  chance: (share: number) => boolean,
): PredictedCall {
  return {
    tool: chance(0.95) ? pick(tools).id : (pick(['', ':', 'nobody:knows', 'constructor']) as ToolId),
    arguments: chance(0.9) ? pick(someArguments) : pick(odd),
    next: pick(shares),
    p: pick(shares),
    toolP: pick(shares),
    sources: {},
    weakest: 'none',
  }
}
