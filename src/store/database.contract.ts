/** What SqlStore relies on, whatever runs the SQL. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { StoreError } from '../errors.js'
import type { Database } from './database.js'
import { migrate } from './migrate.js'
import { type Migration, migrations } from './migrations.js'

export function testDatabase(kind: Database['kind'], open: () => Promise<Database>): void {
  describe(`${kind} as a Database`, () => {
    let database: Database

    beforeEach(async () => {
      database = await open()
      await database.query('create table counter (id text primary key, value integer not null)')
      await database.query(`insert into counter values ('a', 0), ('b', 0)`)
    })

    afterEach(() => database.close())

    const values = async () =>
      (await database.query<{ readonly value: number }>('select value from counter order by id')).map(
        (row) => row.value,
      )

    it('a transaction that throws leaves nothing behind', async () => {
      const failed = database.transaction(async (transaction) => {
        await transaction.query('update counter set value = 1')
        throw new Error('changed my mind')
      })
      await expect(failed).rejects.toThrow('changed my mind')
      expect(await values()).toEqual([0, 0])
    })

    it('a transaction that swallowed the error of a statement fails all the same', async () => {
      const failed = database.transaction(async (transaction) => {
        await transaction.query('update counter set value = 1')
        await transaction.query('select 1 / 0').catch(() => {})
      })
      await expect(failed).rejects.toThrow('division by zero')
      expect(await values()).toEqual([0, 0])
    })

    it('two transactions do not interleave on the same rows', async () => {
      const add = () =>
        database.transaction(async (transaction) => {
          const [row] = await transaction.query<{ readonly value: number }>(
            `select value from counter where id = 'a' for update`,
          )
          await new Promise((resolve) => setTimeout(resolve, 2))
          await transaction.query(`update counter set value = $1::integer where id = 'a'`, [row!.value + 1])
          await transaction.query(`update counter set value = $1::integer where id = 'b'`, [row!.value + 1])
        })
      await Promise.all(Array.from({ length: 25 }, add))
      expect(await values()).toEqual([25, 25])
    })

    it('a query beside an open transaction is no part of it', async () => {
      const failed = database.transaction(async (transaction) => {
        await transaction.query(`update counter set value = 1 where id = 'a'`)
        beside = database.query(`update counter set value = 2 where id = 'b'`)
        await new Promise((resolve) => setTimeout(resolve, 20))
        throw new Error('rolled back')
      })
      let beside: Promise<unknown> = Promise.resolve()
      await expect(failed).rejects.toThrow('rolled back')
      await beside
      expect(await values()).toEqual([0, 2])
    })

    it('a refused statement is a StoreError whose cause keeps its SQLSTATE', async () => {
      const error = await database.query('select * from nowhere').catch((caught) => caught)
      expect(error).toBeInstanceOf(StoreError)
      expect(error.message).toContain('relation "nowhere" does not exist')
      expect(error.cause).toMatchObject({ code: '42P01' })
    })

    it('arrays arrive with their nulls and quotes', async () => {
      const texts = ['a', null, 'null', 'NULL', '', '"', '\\', '{', ',', ' x ']
      const rows = await database.query(
        'select * from unnest($1::text[], $2::double precision[], $3::boolean[]) as given (text, number, flag)',
        [
          texts,
          texts.map((_, index) => (index === 1 ? null : index / 3)),
          texts.map((_, index) => index === 2),
        ],
      )
      expect(rows).toEqual(
        texts.map((text, index) => ({ text, number: index === 1 ? null : index / 3, flag: index === 2 })),
      )
    })

    it('a kept statement takes what any other takes, and a refusal leaves it whole', async () => {
      const texts = ['a', null, 'null', 'NULL', '', '"', '\\', '{', ',', ' x ', '\n', 'x\ufeff', '\u{1f600}']
      await database.query('create table given (text text, number double precision, flag boolean, one text)')
      const insert = `insert into given
        select *, $4 from unnest($1::text[], $2::double precision[], $3::boolean[]) where $5::boolean`
      const numbers = texts.map((_, index) => (index === 1 ? null : index / 3))
      const flags = texts.map((_, index) => index === 2)
      for (const one of ['"{}"', null]) await database.execute(insert, [texts, numbers, flags, one, true])
      const refused = database.execute(insert, [texts, ['x'], flags, null, true])
      await expect(refused).rejects.toMatchObject({ cause: { code: '22P02' } })
      await expect(database.execute('insert into nowhere values ($1)', [1])).rejects.toMatchObject({
        cause: { code: '42P01' },
      })
      await database.execute(insert, [texts, numbers, flags, 'x'.repeat(5_000_000), true])
      await database.execute(insert, [texts, numbers, flags, null, false])
      const rows = await database.query('select text, number, flag, left(one, 4) as one from given')
      expect(rows).toEqual(
        ['"{}"', null, 'xxxx'].flatMap((one) =>
          texts.map((text, index) => ({ text, number: numbers[index], flag: flags[index], one })),
        ),
      )
    })

    it('migrations are applied once, in order, also when several start together', async () => {
      const next: Migration = {
        version: migrations.length + 1,
        name: 'add one',
        statements: ['update counter set value = value + 1'],
      }
      await Promise.all(Array.from({ length: 4 }, () => migrate(database, migrations, () => {})))
      await Promise.all(Array.from({ length: 4 }, () => migrate(database, [...migrations, next], () => {})))
      expect(await values()).toEqual([1, 1])
      expect(await database.query('select version, name from pml_migration order by version')).toEqual([
        ...migrations.map(({ version, name }) => ({ version, name })),
        { version: next.version, name: 'add one' },
      ])
    })

    it('what an older version left open is interrupted, and nothing else', async () => {
      await migrate(database, migrations.slice(0, 4), () => {})
      await database.query(
        `insert into run (id, status, started_at) values ('open', 'running', now()), ('done', 'failed', now())`,
      )
      for (const run of ['open', 'done'])
        await database.query(
          `insert into task (run_id, id, position, tool, arguments, status)
          select $1, status, 1, 'fs:read', '{}', status from unnest($2::text[]) as status`,
          [run, run === 'open' ? ['pending', 'running', 'complete', 'skipped'] : ['failed']],
        )
      await migrate(database, migrations, () => {})
      expect(await database.query('select id, status from run order by id')).toEqual([
        { id: 'done', status: 'failed' },
        { id: 'open', status: 'interrupted' },
      ])
      expect(await database.query('select id, status from task order by id')).toEqual([
        { id: 'complete', status: 'complete' },
        { id: 'failed', status: 'failed' },
        { id: 'pending', status: 'interrupted' },
        { id: 'running', status: 'interrupted' },
        { id: 'skipped', status: 'skipped' },
      ])
    })

    it('what an older version learned is there after it was updated', async () => {
      await migrate(database, migrations.slice(0, 5), () => {})
      for (const table of ['tool_dependency', 'graph_baseline'])
        await database.query(
          `insert into ${table} (from_id, to_id, type, source, count, successes, failures)
          values ('a:x', 'a:y', 'sequence', 'inferred', 1, 1, 0), ('a:x', 'a:y', 'provides', 'inferred', 1, 1, 0)`,
        )
      await database.query(
        `insert into output_schema_baseline (tool, schema, version, samples, updated_at)
        values ('a:x', '{}', 1, 1, now())`,
      )
      await database.query(
        `insert into trace (id, run_id, success, started_at, ended_at, depends_on, links)
        values ('t', 't', true, now(), now(), '[]', '[]')`,
      )
      await migrate(database, migrations, () => {})
      const [counted] = await database.query(
        `select (select count(*) from tool_dependency)::integer as edges,
          (select count(*) from graph_baseline)::integer as baseline,
          (select count(*) from output_schema_baseline)::integer as schemas,
          (select count(*) from trace where follows is null)::integer as traces`,
      )
      expect(counted).toEqual({ edges: 2, baseline: 2, schemas: 1, traces: 1 })
    })

    it('what a version without capabilities kept is there after it was updated', async () => {
      await migrate(database, migrations.slice(0, 7), () => {})
      await database.query(
        `insert into capability_thompson_states (id, alpha, beta, observations, updated_at)
        values ('cap:x-abcdef', 2, 1, 1, now())`,
      )
      await database.query(
        `insert into dataflow_template (key, tool, parameter, after, source, count, hits, last_at)
        values ('k', 'a:x', 'p', '', 'same', 1, 1, now())`,
      )
      await database.query(
        `insert into speculation (id, session, tool, arguments, p, tool_p, source, predicted_at, decision, cost)
        values ('s', 's', 'a:x', '{}', .5, .5, 'result', now(), 'started', 0)`,
      )
      await migrate(database, migrations, () => {})
      const [counted] = await database.query(
        `select (select count(*) from capability_thompson_states)::integer as states,
          (select count(*) from dataflow_template)::integer as templates,
          (select count(*) from speculation)::integer as predictions,
          (select count(*) from capability)::integer as capabilities`,
      )
      expect(counted).toEqual({ states: 1, templates: 1, predictions: 1, capabilities: 0 })
    })

    it('a migration that fails leaves nothing and is tried again', async () => {
      const half: Migration = {
        version: migrations.length + 1,
        name: 'half',
        statements: ['update counter set value = 9', 'select 1 / 0'],
      }
      await expect(migrate(database, [...migrations, half], () => {})).rejects.toThrow('division by zero')
      expect(await values()).toEqual([0, 0])
      const whole = { ...half, statements: ['update counter set value = 9'] }
      await migrate(database, [...migrations, whole], () => {})
      expect(await values()).toEqual([9, 9])
    })

    it('a database made by a newer version is refused with a clear error', async () => {
      await migrate(database, migrations, () => {})
      await database.query(`insert into pml_migration (version, name) values (99, 'from the future')`)
      const error = await migrate(database, migrations, () => {}).catch((caught) => caught)
      expect(error).toBeInstanceOf(StoreError)
      expect(error.message).toContain('version 99')
      expect(error.hint).toContain('Update PML')
    })
  })
}
