import { describe, expect, it } from 'vitest'
import { isPlainSelect } from './is-plain-select.js'

describe('one statement that reads is plain', () => {
  it.each([
    'SELECT 1',
    '  select * from users where id = $1 ;  ',
    "SELECT 'it''s; DROP TABLE x', \"update\" FROM `my-project.set.t` /* drop */ -- delete",
    '-- why\nSELECT a.delete, b.updated_at, created FROM a JOIN b ON a.x = b.x',
    'WITH a AS (SELECT 1), b AS (SELECT 2) SELECT * FROM a, b',
    '(SELECT 1) UNION (SELECT 2)',
    "SELECT replace(a, 'x', 'y'), insert(a, 1, 1, 'b'), truncate(1.5, 0), left(a, 1), if(a, 1, 2) FROM t",
    "SELECT jsonb_set(a, '{b}', '1'), array_append(b, 1), add_months(c, 1), regexp_replace(d, '\\d+', '') FROM t",
    "SELECT data #>> '{a,b}', tags[1], m['key'] FROM t",
    'SELECT [Order Id] FROM [dbo].[Orders] o',
    'VALUES (1)',
    'TABLE users',
    'EXPLAIN SELECT 1',
    'EXPLAIN (FORMAT JSON) SELECT 1',
    'SHOW TABLES',
    'SHOW CREATE TABLE `users`',
    'DESCRIBE users',
    'PRAGMA table_info(users)',
    "PRAGMA table_info('users')",
    'PRAGMA user_version',
    'SELECT pg_size_pretty(pg_total_relation_size(oid)) FROM pg_class',
  ])('%s', (text) => {
    expect(isPlainSelect(text)).toBe(true)
  })
})

describe('what changes something, or could for one of the databases, is not', () => {
  it.each([
    '',
    '-- nothing',
    'hello',
    'INSERT INTO a VALUES (1)',
    'SELECT 1; SELECT 2',
    'SELECT 1; DROP TABLE x',
    'SELECT 1 DROP TABLE x',
    'SELECT 1 EXEC sp_who',
    'SELECT 1 SHUTDOWN',
    'SELECT 1 KILL 53',
    'SELECT * INTO b FROM a',
    "SELECT 1 INTO OUTFILE '/x'",
    'SELECT * FROM a FOR UPDATE',
    'SELECT * FROM a FOR NO KEY UPDATE',
    'SELECT * FROM a FOR SHARE',
    'WITH a AS (DELETE FROM b RETURNING *) SELECT * FROM a',
    'WITH a AS (SELECT 1) INSERT INTO b SELECT * FROM a',
    'EXPLAIN ANALYZE DELETE FROM a',
    'EXPLAIN (ANALYZE) SELECT 1',
    'PRAGMA user_version = 5',
    'PRAGMA user_version(5)',
    'PRAGMA optimize',
    'SELECT pg_terminate_backend(1)',
    'SELECT "pg_terminate_backend" (1)',
    'SELECT pg_catalog.pg_read_file(1)',
    "SELECT lo_import('/etc/passwd')",
    "SELECT * FROM dblink('x', 'y')",
    "SELECT load_extension('x')",
    "SELECT LOAD_FILE('/x')",
    'SELECT delete_user(5)',
    'SELECT public.purge_all()',
    "SELECT set_config('a', 'b', false)",
    "SELECT query_to_xml('drop table x', true, true, '')",
    "SELECT UTL_HTTP.request('x') FROM dual",
    'SELECT SYSTEM$CANCEL_QUERY(1)',
    'SELECT 1 /*! ; DROP TABLE x */',
    'SELECT 1 /* /* */ ; DROP TABLE x -- */',
    "SELECT '\\' ; DROP TABLE x -- '",
    "SELECT 1 --don't\n; DROP TABLE x -- '",
    "SELECT 1 # don't\n; DROP TABLE x # '",
    "SELECT [it's] DROP TABLE x -- '",
    'SELECT [a--b] DROP TABLE x',
    "SELECT q'[it's]' ; DROP TABLE x -- '",
    'SELECT $$a$$',
    "SELECT $x$ ' $x$; DROP TABLE x -- '",
    "SELECT 'open",
    'SELECT 1 /* open',
    'SELECT 1 \\gexec',
    'SELECT 1\n.shell rm x',
    'SHOW CREATE TABLE x (id int)',
    'SELECT 1 \0 FROM a',
  ])('%j', (text) => {
    expect(isPlainSelect(text)).toBe(false)
  })
})

it.each([
  "'",
  '[',
  '#',
  '/*',
  '--',
  '(',
  '$',
  "''",
  '[]',
  'a',
  'a ',
  'a(',
  '; ',
  ' ',
  '\n',
  '.',
  '"a"',
  'for ',
  'dbms_',
])('is read in time that grows with the text: %j', (part) => {
  const started = performance.now()
  isPlainSelect(`SELECT ${part.repeat(50_000)}!`)
  // At most a few hundred ms here; in quadratic time it would be many seconds.
  expect(performance.now() - started).toBeLessThan(1_000)
})
