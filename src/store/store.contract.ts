/** What every Store promises, whatever it stands on. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { StoreError } from '../errors.js'
import { builtUrl } from '../model/built-url.js'
import type { Json } from '../model/json.js'
import { newId } from '../model/new-id.js'
import type { Run } from '../model/run.js'
import type { ServerState } from '../model/server.js'
import { formatToolId, hashDefinition, type Tool } from '../model/tool.js'
import { testBetaStates } from './beta-state.contract.js'
import { testCapabilities } from './capability.contract.js'
import { aRun, aTask, saveRun, testCheckpoints } from './checkpoint.contract.js'
import type { Database, Row } from './database.js'
import { testDecisions } from './decision.contract.js'
import { testLearned } from './learned.contract.js'
import { migrate } from './migrate.js'
import { migrations } from './migrations.js'
import { testRecords } from './records.contract.js'
import { testSpeculation } from './speculation.contract.js'
import { SqlStore } from './sql-store.js'
import type { Store } from './store.js'

/** Somewhere a new store can be opened, again and again. */
export interface StorePlace {
  readonly dataDirectory: string
  readonly databaseUrl?: string
  openDatabase(): Promise<Database>
}

export function testStore(kind: Store['kind'], newPlace: () => Promise<StorePlace>): void {
  describe(`${kind} as a Store`, () => {
    let place: StorePlace
    let database: Database
    let store: Store

    // One database for all, emptied before each: to open one takes a second, and most of them need no other.
    beforeAll(async () => {
      place = await newPlace()
      await open()
    })

    beforeEach(async () => {
      await empty(database)
      store = new SqlStore(database)
    })

    afterAll(() => database.close())

    async function open(): Promise<void> {
      database = await place.openDatabase()
      await migrate(database, migrations, () => {})
      store = new SqlStore(database)
    }

    async function reopen(): Promise<void> {
      await store.close()
      await open()
    }

    const asPerson = (sql: string): Promise<readonly Row[]> => database.query(sql)

    it('starts empty and says what it is', async () => {
      expect(store.kind).toBe(kind)
      expect(await store.loadTools()).toEqual([])
      expect(await store.listRuns({ limit: 10 })).toEqual([])
      expect(await store.loadRun(newId())).toBeUndefined()
      expect(await store.loadCheckpoint(newId())).toBeUndefined()
      expect(await store.listOpenRuns('/home/me')).toEqual([])
      expect(await store.pruneRuns({ newest: 0, since: Date.now() })).toBe(0)
      expect(await store.findDecision(newId())).toBeUndefined()
      expect(await store.listPendingDecisions()).toEqual([])
      expect(await store.listUnusedApprovals(0)).toEqual([])
      await store.saveTools([])
      await store.saveServers([])
    })

    it('gives back runs, tasks and tools as they were saved, also after a reopen', async () => {
      const run: Run = {
        id: newId(),
        intent: 'read a file, then sum',
        status: 'partial_failure',
        startedAt: 1_700_000_000_123,
        endedAt: 1_700_000_000_456.5,
        tasks: [
          aTask({
            id: 'z',
            result: { rows: [1, 2.5, -1e-9, 1e21, null, true], z: 1, a: { b: [] } },
            startedAt: 1,
            ms: 0.25,
          }),
          aTask({ id: 'a', status: 'failed', error: { code: 'X', message: 'no "such" thing', hint: 'try' } }),
          aTask({ id: 'm', status: 'pending', result: null }),
        ],
      }
      const bare: Run = { id: newId(), status: 'running', startedAt: 0, tasks: [] }
      const quarantined: Tool = {
        ...aTool('fs', 'write'),
        tokens: 120,
        listed: false,
        flags: ['hidden-unicode', 'shadows github:write'],
        changed: {
          definition: { name: 'write', inputSchema: { z: 1, a: 2 } },
          hash: 'other',
          seenAt: 1_700_000_000_000,
        },
      }
      const tools = [aTool('fs', 'read:deep/name'), quarantined]
      await saveRun(store, run)
      await saveRun(store, bare)
      await store.saveTools(tools)
      for (const _ of ['before', 'after']) {
        expect(await store.loadRun(run.id)).toStrictEqual(run)
        expect(await store.loadRun(bare.id)).toStrictEqual(bare)
        expect(await store.loadTools()).toStrictEqual(tools)
        const [read] = await store.loadTools()
        expect(JSON.stringify(read!.definition)).toBe(JSON.stringify(tools[0]!.definition))
        await reopen()
      }
    })

    it('keeps every string, and every JSON column stays readable as jsonb', async () => {
      const strings = naughtyStrings()
      const tasks = strings.map((text, index) =>
        aTask({
          id: `${index}${text}`,
          tool: formatToolId('fs', text),
          arguments: { [text]: text },
          result: [text, { [`k${text}`]: text }],
          error: { code: text, message: text, hint: text },
        }),
      )
      const runs = ['\u0000\ud800', 'plain'].map((intent): Run => ({ ...aRun(tasks), intent }))
      const tools = strings.map((text, index): Tool => {
        const name = `${String(index).padStart(5, '0')}${text}`
        return { ...aTool('fs', name), flags: [text], hash: `h${index}` }
      })
      for (const run of runs) await saveRun(store, run)
      await store.saveTools(tools)
      await store.saveServers([
        { ...aServer('fs'), trouble: { kind: 'exit', message: '\u0000\udc00', hint: '', at: 1 } },
      ])
      for (const run of runs) expect(await store.loadRun(run.id)).toStrictEqual(run)
      expect(await store.loadTools()).toStrictEqual(tools)
      expect(await store.loadRun('\u0000')).toBeUndefined()
      const [counted] = await asPerson(`
        select (select count(arguments::jsonb || result::jsonb || error::jsonb) from task)::integer as tasks,
          (select count(definition::jsonb || flags::jsonb) from tools)::integer as tools,
          (select count(trouble::jsonb) from servers)::integer as servers`)
      expect(counted).toEqual({ tasks: 2 * strings.length, tools: strings.length, servers: 1 })
    })

    it('keeps a tool and a task whose name is longer than an index entry', async () => {
      const long = Array.from({ length: 3000 }, (_, index) =>
        String.fromCodePoint(0x4e00 + ((index * 7919) % 20_000)),
      ).join('')
      const tools = [aTool('fs', `${long}1`), aTool('fs', `${long}2`)]
      const run = aRun([aTask({ id: `${long}1` }), aTask({ id: `${long}2` })])
      await store.saveTools(tools)
      await store.saveTools(tools)
      await saveRun(store, run)
      await saveRun(store, { ...run, tasks: [run.tasks[1]!] })
      expect(new Set(await store.loadTools())).toEqual(new Set(tools))
      expect(await store.loadRun(run.id)).toStrictEqual(run)
    })

    it('keeps a result of some megabytes', async () => {
      const run = aRun([aTask({ result: { text: 'lorem "ipsum" \\ \u0000 '.repeat(200_000) } })])
      await saveRun(store, run)
      expect(await store.loadRun(run.id)).toStrictEqual(run)
    })

    it('a value that cannot be written is a StoreError, and the store goes on', async () => {
      let deep: Json = []
      for (let depth = 0; depth < 100_000; depth++) deep = [deep]
      const error = await saveRun(store, aRun([aTask({ result: deep })])).catch((caught) => caught)
      expect(error).toBeInstanceOf(StoreError)
      expect(error.cause).toBeInstanceOf(RangeError)
      expect(await store.listRuns({ limit: 10 })).toEqual([])
    })

    it('saving tools never forgets a pin', async () => {
      const [read, write] = [{ ...aTool('fs', 'read'), tokens: 7 }, aTool('fs', 'write')]
      await store.saveTools([read, write])
      await store.saveTools([{ ...write, listed: false }])
      await store.saveTools([])
      await store.saveTools([aTool('fs', 'read')])
      expect(await store.loadTools()).toStrictEqual([read, { ...write, listed: false }])
    })

    it('shows the state of a pin in SQL, and when a tool was seen', async () => {
      const read = aTool('fs', 'read')
      const changed = { definition: { name: 'read', inputSchema: {} }, hash: 'new', seenAt: 1 }
      await store.saveTools([{ ...read, changed }, aTool('fs', 'write')])
      await store.saveTools([{ ...read, changed }])
      const rows = await asPerson(
        'select id, pin, last_seen > first_seen as seen_again from tools order by id',
      )
      expect(rows).toEqual([
        { id: 'fs:read', pin: 'quarantined', seen_again: true },
        { id: 'fs:write', pin: 'approved', seen_again: false },
      ])
    })

    it('a server that is no longer configured is marked absent and keeps its row', async () => {
      const trouble = { kind: 'offline', message: 'refused', hint: 'start it', at: 5 } as const
      await store.saveServers([
        aServer('fs'),
        { ...aServer('git'), status: 'down', trouble, retryAt: 1_700_000_000_000 },
      ])
      await store.saveServers([aServer('fs')])
      const rows = await asPerson(`
        select name, present, status, trouble::jsonb ->> 'kind' as kind, extract(epoch from retry_at)::integer as retry
        from servers order by name`)
      expect(rows).toEqual([
        { name: 'fs', present: true, status: 'ready', kind: null, retry: null },
        { name: 'git', present: false, status: 'down', kind: 'offline', retry: 1_700_000_000 },
      ])
    })

    it('lists runs newest first, with the number of their tasks, up to the limit', async () => {
      const elements = [0, 1].map((place) => aTask({ id: `b[${place}]`, parent: 'b' }))
      const runs = [5, 3, 9, 1].map(
        (startedAt): Run => ({
          ...aRun([aTask({ id: 'b' }), ...elements, aTask({ id: 'a' })]),
          startedAt,
          ...(startedAt === 9 && { intent: 'read\u0000 all', endedAt: 12 }),
        }),
      )
      for (const run of runs) await saveRun(store, run)
      const newestFirst = [runs[2]!, runs[0]!, runs[1]!, runs[3]!].map((run) => ({ ...run, tasks: 2 }))
      expect(await store.listRuns({ limit: 3 })).toStrictEqual(newestFirst.slice(0, 3))
      expect(await store.listRuns({ limit: Number.POSITIVE_INFINITY })).toStrictEqual(newestFirst)
      expect(await store.listRuns({ limit: 0 })).toEqual([])
    })

    it('a reader never sees half of a save', async () => {
      const states = ['one', 'two'].map((state) =>
        Array.from({ length: 20 }, (_, index) => aTask({ id: `t${index}`, result: state })),
      )
      const run = aRun(states[0]!)
      await saveRun(store, run)
      const saves = Array.from({ length: 40 }, (_, turn) =>
        saveRun(store, { ...run, tasks: states[turn % 2]! }),
      )
      const reads = Array.from({ length: 40 }, () => store.loadRun(run.id))
      await Promise.all(saves)
      for (const read of await Promise.all(reads)) {
        expect(new Set(read!.tasks.map((task) => task.result)).size).toBe(1)
      }
    })

    it('a thousand saves at once all arrive', async () => {
      const runs = Array.from({ length: 1000 }, (_, index) => aRun([aTask({ result: index })]))
      await Promise.all(runs.map((run) => saveRun(store, run)))
      const saved = await store.listRuns({ limit: 2000 })
      expect(new Set(saved.map((run) => run.id))).toEqual(new Set(runs.map((run) => run.id)))
    })

    it('a process killed right after a save has lost nothing', async () => {
      await store.close()
      const runs = Array.from({ length: 20 }, (_, index) =>
        aRun([aTask({ result: 'x'.repeat(index * 1000) })], 'running'),
      )
      expect(await saveAndDie(place, runs)).toBe('SIGKILL')
      await open()
      for (const run of runs) expect(await store.loadRun(run.id)).toStrictEqual(run)
    })

    testCheckpoints({ store: () => store, reopen, asPerson, strings: naughtyStrings() })
    testDecisions({ store: () => store, reopen, asPerson, strings: naughtyStrings() })
    testLearned({ store: () => store, reopen, asPerson, strings: naughtyStrings() })
    testBetaStates({ store: () => store, reopen, asPerson, strings: naughtyStrings() })
    testRecords({ store: () => store, reopen, asPerson, strings: naughtyStrings() })
    testSpeculation({ store: () => store, reopen, asPerson, strings: naughtyStrings() })
    testCapabilities({ store: () => store, reopen, asPerson, strings: naughtyStrings() })

    it('a closed store answers with a StoreError', async () => {
      onTestFinished(open)
      await store.close()
      await store.close()
      await expect(store.loadTools()).rejects.toBeInstanceOf(StoreError)
      await expect(saveRun(store, aRun([]))).rejects.toBeInstanceOf(StoreError)
    })
  })
}

/** The tables that hold something: each one that is truncated is a handful of new files, and takes milliseconds. */
async function empty(database: Database): Promise<void> {
  const [used] = await database.query<{ readonly tables: string | null }>(
    `select string_agg(relname, ', ') as tables from pg_class
    where relkind = 'r' and relnamespace = 'public'::regnamespace and relname <> 'pml_migration' and pg_relation_size(oid) > 0`,
  )
  if (used!.tables !== null) await database.query(`truncate table ${used!.tables} restart identity cascade`)
}

async function saveAndDie(
  { dataDirectory, databaseUrl }: StorePlace,
  runs: readonly Run[],
): Promise<string | null> {
  const program = `
    import { readFileSync } from 'node:fs'
    import { openStore } from ${JSON.stringify(builtUrl('./open-store.js', import.meta.url).href)}
    const { runs, ...options } = JSON.parse(readFileSync(0, 'utf8'))
    const log = { debug() {}, info() {}, warn() {}, error() {} }
    const store = await openStore({ ...options, signal: new AbortController().signal, onProgress() {}, log })
    const rest = { owner: 'me', removedTasks: [], decisions: [], progress: {} }
    await Promise.all(runs.map(({ tasks, ...run }) => store.saveCheckpoint({ run, tasks, ...rest })))
    process.kill(process.pid, 'SIGKILL')`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['pipe', 'inherit', 'inherit'],
  })
  child.stdin!.end(JSON.stringify({ dataDirectory, databaseUrl, runs }))
  const [, signal] = await once(child, 'exit')
  return signal
}

function aTool(server: string, name: string): Tool {
  const definition = {
    name,
    description: name,
    inputSchema: { type: 'object', properties: { z: {}, a: {} } },
  }
  const hash = hashDefinition(definition)
  return { id: formatToolId(server, name), server, name, definition, hash, listed: true, flags: [] }
}

function aServer(name: string): ServerState {
  return { name, transport: 'stdio', status: 'ready', toolCount: 2, fromSnapshot: false, pids: [1, 2] }
}

const corpus = new URL('../../../shared/corpora/naughty-strings/blns.json', import.meta.url)

function naughtyStrings(): readonly string[] {
  const ours = [
    ...[
      '\u0000',
      'a\u0000b',
      '\ud800',
      '\udfff',
      '\udc00\ud800',
      '😀',
      '\ud83d\u0000\ude00',
      '\u001a',
      '\u001a0000',
    ],
    ...[
      '\\u0000',
      '\\\u0000',
      '\\\\u001a0000',
      '\\ud800',
      '\uffff',
      '\ufeff',
      '\u001b[31m',
      '\u2028',
      '\r\n',
      '\t',
      ' ',
    ],
    ...[
      '',
      '"',
      "'",
      '\\',
      '{',
      '}',
      '{a,b}',
      ',',
      'NULL',
      'null',
      '"null"',
      '$1',
      "'; drop table task; --",
      '__proto__',
    ],
  ]
  if (existsSync(corpus)) return [...ours, ...(JSON.parse(readFileSync(corpus, 'utf8')) as string[])]
  console.warn(`Only ${ours.length} naughty strings tried: there is no ${corpus.pathname}`)
  return ours
}
