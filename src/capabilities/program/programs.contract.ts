/** Programs as agents write them: what every verb of this room has to cope with. */
import type { Json, JsonObject } from '../../model/json.js'

export interface SampleProgram {
  readonly title: string
  readonly code: string
  /** Names of calls in the order of the code; `?` where it is computed. */
  readonly calls: readonly string[]
  readonly arguments?: JsonObject
}

export const samplePrograms: readonly SampleProgram[] = [
  {
    title: 'one call, returned',
    code: `return await tools.filesystem.read_file({ path: '/tmp/a.txt' })`,
    calls: ['filesystem:read_file'],
  },
  {
    title: 'a bare last expression',
    code: `const file = await tools.filesystem.read_file({ path: "/tmp/a.txt" });\nfile.text.length`,
    calls: ['filesystem:read_file'],
  },
  { title: 'a bare await', code: `await tools.time.now()`, calls: ['time:now'] },
  { title: 'a bare call that is not awaited', code: `tools.time.now({})`, calls: ['time:now'] },
  {
    title: 'an object literal in parentheses',
    code: `const a = await tools.time.now({ zone: 'UTC' })\n({ now: a.iso, zone: 'UTC' })`.replace(
      '\n(',
      ';\n(',
    ),
    calls: ['time:now'],
  },
  {
    title: 'brackets with a colon',
    code: `const r = await tools["github:create_issue"]({ title: "Bug", body: "It fails", labels: ["bug", "p1"] })\nreturn r.number`,
    calls: ['github:create_issue'],
  },
  {
    title: 'brackets with the name on the wire',
    code: `return tools["github__list_issues"]({ owner: 'casys', repo: 'pml', state: 'open' })`,
    calls: ['github__list_issues'],
  },
  {
    title: 'a server by dot and a tool by brackets',
    code: `return tools.browser["page-open"]({ url: 'https://example.com/', wait: true })`,
    calls: ['browser:page-open'],
  },
  {
    title: 'a server by brackets',
    code: `return tools["my-server"].do_it({ n: 3 })`,
    calls: ['my-server:do_it'],
  },
  {
    title: 'a capability',
    code: `const out = await capabilities.weekly_report({ week: 12, team: 'core' })\nreturn out.text`,
    calls: ['weekly_report'],
  },
  {
    title: 'a server kept in a variable',
    code: `const fs = tools.filesystem\nconst a = await fs.read_file({ path: 'a' })\nconst b = await fs.read_file({ path: 'b' })\nreturn a.text + b.text`,
    calls: ['filesystem:read_file', 'filesystem:read_file'],
  },
  {
    title: 'tools taken out of a server',
    code: `const { read_file, write_file: save } = tools.filesystem\nconst { text } = await read_file({ path: 'in.txt' })\nawait save({ path: 'out.txt', content: text })`,
    calls: ['filesystem:read_file', 'filesystem:write_file'],
  },
  {
    title: 'all tools under another name',
    code: `const t = tools; const r = await t.search.web({ query: 'mcp gateway', limit: 5 }); return r.items[0].url`,
    calls: ['search:web'],
  },
  {
    title: 'a chain of calls',
    code: `const user = await tools.crm.find_user({ email: 'ada@example.com' })\nconst orders = await tools.shop.list_orders({ user_id: user.id })\nreturn await tools.mail.send({ to: user.email, subject: 'Your orders', body: JSON.stringify(orders.items) })`,
    calls: ['crm:find_user', 'shop:list_orders', 'mail:send'],
  },
  {
    title: 'two calls at once',
    code: `const [a, b] = await Promise.all([\n  tools.weather.today({ city: 'Paris' }),\n  tools.weather.today({ city: 'Rome' }),\n])\nreturn { paris: a.temp, rome: b.temp, warmer: a.temp > b.temp ? 'Paris' : 'Rome' }`,
    calls: ['weather:today', 'weather:today'],
  },
  {
    title: 'a list at once',
    code: `const cities = ['Paris', 'Rome', 'Oslo']\nconst all = await Promise.all(cities.map((city) => tools.weather.today({ city })))\nreturn all.map((one, i) => ({ city: cities[i], temp: one.temp }))`,
    calls: ['weather:today'],
  },
  {
    title: 'an inline list at once',
    code: `await Promise.all(['a.txt', 'b.txt'].map(async (path) => (await tools.filesystem.read_file({ path })).text))`,
    calls: ['filesystem:read_file'],
  },
  {
    title: 'each item of a result',
    code: `const list = await tools.github.list_issues({ owner: 'o', repo: 'r' })\nconst out = []\nfor (const issue of list.items) {\n  const c = await tools.github.list_comments({ issue: issue.number })\n  out.push({ title: issue.title, comments: c.items.length })\n}\nreturn out`,
    calls: ['github:list_issues', 'github:list_comments'],
  },
  {
    title: 'each item at once',
    code: `const { items } = await tools.filesystem.list_directory({ path: '/data' })\nconst files = items.filter((i) => i.name.endsWith('.md')).slice(0, 10)\nconst texts = await Promise.all(files.map(async (f) => {\n  const r = await tools.filesystem.read_file({ path: f.id })\n  return r.text\n}))\nreturn texts.join('\\n---\\n')`,
    calls: ['filesystem:list_directory', 'filesystem:read_file'],
  },
  {
    title: 'pages',
    code: `let cursor: string | undefined\nconst all: any[] = []\nlet rounds = 0\ndo {\n  const page = await tools.api.list({ cursor, limit: 50 })\n  all.push(...page.items)\n  cursor = page.next\n} while (cursor && ++rounds < 5)\nreturn all.length`,
    calls: ['api:list'],
  },
  {
    title: 'an index loop',
    code: `const out = []\nfor (let i = 0; i < 3; i++) {\n  out.push(await tools.math.square({ n: i }))\n}\nreturn out`,
    calls: ['math:square'],
  },
  {
    title: 'a branch',
    code: `const s = await tools.ci.status({ branch: 'main' })\nif (s.state === 'failed') {\n  await tools.slack.post({ channel: '#dev', text: 'main is red' })\n} else {\n  await tools.slack.post({ channel: '#ok', text: 'main is green' })\n}\nreturn s.state`,
    calls: ['ci:status', 'slack:post', 'slack:post'],
  },
  {
    title: 'an early return',
    code: `const found = await tools.crm.find_user({ email: 'x@example.com' })\nif (!found.id) return null\nawait tools.crm.touch({ id: found.id })\nreturn found.id`,
    calls: ['crm:find_user', 'crm:touch'],
  },
  {
    title: 'a call on one side of a question',
    code: `const r = args.deep ? await tools.search.deep({ q: args.q }) : await tools.search.quick({ q: args.q })\nreturn r.items`,
    calls: ['search:deep', 'search:quick'],
    arguments: { deep: true, q: 'x' },
  },
  {
    title: 'a call behind an and',
    code: `const r = await tools.a.check({ id: 7 })\nr.ok && await tools.a.commit({ id: 7 })\nreturn r.ok`,
    calls: ['a:check', 'a:commit'],
  },
  {
    title: 'try and catch',
    code: `try {\n  return await tools.db.count({ table: 'users' })\n} catch (e) {\n  const why = await tools.log.write({ level: 'error', text: String(e) })\n  return { failed: true, why }\n} finally {\n  console.log('done')\n}`,
    calls: ['db:count', 'log:write'],
  },
  {
    title: 'results that may have failed',
    code: `const results = await Promise.allSettled([tools.a.one({ x: 1 }), tools.a.two({ y: 2 })])\nreturn results.filter((r) => r.status === 'fulfilled').map((r) => r.value)`,
    calls: ['a:one', 'a:two'],
  },
  {
    title: 'settled, taken apart',
    code: `const [one, two] = await Promise.allSettled([tools.a.one({ x: 1 }), tools.a.two({ y: 2 })])\nif (one.status === 'fulfilled') await tools.a.three({ id: one.value.id })\nreturn two.status`,
    calls: ['a:one', 'a:two', 'a:three'],
  },
  {
    title: 'a helper',
    code: `async function load(path: string): Promise<string> {\n  const r = await tools.filesystem.read_file({ path })\n  return r.text as string\n}\nconst text = await load('/etc/hosts')\nreturn text.split('\\n').length`,
    calls: ['filesystem:read_file'],
  },
  {
    title: 'a helper used twice',
    code: `const get = async (id: number) => (await tools.api.get({ id, fields: 'name' })).name\nconst a = await get(12)\nconst b = await get(13)\nreturn [a, b].sort()`,
    calls: ['api:get'],
  },
  {
    title: 'a helper that is given to map',
    code: `const one = (id) => tools.api.get({ id })\nreturn Promise.all([1, 2, 3].map(one))`,
    calls: ['api:get'],
  },
  {
    title: 'a function called at once',
    code: `const [a, b] = await Promise.all([\n  (async () => { const x = await tools.a.one({ k: 'x' }); return tools.a.two({ from: x.id }) })(),\n  tools.a.three({ k: 'z' }),\n])\nreturn [a, b]`,
    calls: ['a:one', 'a:two', 'a:three'],
  },
  {
    title: 'then',
    code: `return tools.a.one({ k: 'x' }).then((r) => tools.a.two({ id: r.id })).then((r) => r.items)`,
    calls: ['a:one', 'a:two'],
  },
  {
    title: 'then and catch',
    code: `return tools.a.one({ k: 'x' }).catch(() => tools.a.fallback({ k: 'y' }))`,
    calls: ['a:one', 'a:fallback'],
  },
  {
    title: 'promises that are kept',
    code: `const p = tools.a.one({ n: 1 })\nconst q = tools.a.two({ n: 2 })\nconst x = await p\nconst y = await q\nreturn x.value + y.value`,
    calls: ['a:one', 'a:two'],
  },
  {
    title: 'promises that are collected',
    code: `const jobs = []\nfor (const id of [4, 5, 6]) jobs.push(tools.a.one({ id }))\nconst done = await Promise.all(jobs)\nreturn done.map(({ value }) => value)`,
    calls: ['a:one'],
  },
  {
    title: 'arguments of the program',
    code: `const { path, limit = 20 } = args\nconst r = await tools.filesystem.read_file({ path, head: limit })\nreturn r.text`,
    calls: ['filesystem:read_file'],
    arguments: { path: '/x' },
  },
  {
    title: 'arguments read in place',
    code: `return tools.search.web({ query: args.query, limit: args.limit ?? 10, lang: 'en' })`,
    calls: ['search:web'],
    arguments: { query: 'cats' },
  },
  {
    title: 'all arguments passed on',
    code: `return tools.search.web(args)`,
    calls: ['search:web'],
    arguments: { query: 'cats', n: 3 },
  },
  {
    title: 'arguments spread',
    code: `return tools.search.web({ lang: 'en', ...args })`,
    calls: ['search:web'],
    arguments: { query: 'cats' },
  },
  {
    title: 'a text put together',
    code: `const day = args.day\nreturn tools.filesystem.read_file({ path: \`/logs/\${day}/app.log\` })`,
    calls: ['filesystem:read_file'],
    arguments: { day: '2026-01-01' },
  },
  {
    title: 'a text added up',
    code: `const base = '/srv'\nreturn tools.filesystem.read_file({ path: base + '/conf/' + args.name + '.json' })`,
    calls: ['filesystem:read_file'],
    arguments: { name: 'x' },
  },
  {
    title: 'a computed tool',
    code: `const out = []\nfor (const name of ['one', 'two']) out.push(await tools.a[name]({ v: 1 }))\nreturn out`,
    calls: ['?'],
  },
  {
    title: 'an object built up',
    code: `const body: Record<string, unknown> = { title: 'T' }\nif (args.assignee) body.assignee = args.assignee\nreturn tools.github.create_issue(body)`,
    calls: ['github:create_issue'],
    arguments: { assignee: 'ada' },
  },
  {
    title: 'an object kept',
    code: `const filter = { status: 'open', labels: ['bug'] }\nreturn tools.tracker.search({ filter, page: 1 })`,
    calls: ['tracker:search'],
  },
  {
    title: 'nested objects',
    code: `return tools.calendar.create({ event: { title: 'Standup', at: { date: '2026-03-01', hour: 9 }, guests: [{ email: 'a@x.io' }, { email: 'b@x.io' }] }, notify: false })`,
    calls: ['calendar:create'],
  },
  {
    title: 'settings in one object',
    code: `const config = { repo: 'pml', owner: 'casys', days: 7 }\nconst prs = await tools.github.list_prs({ owner: config.owner, repo: config.repo })\nconst cut = config.days * 24\nreturn prs.items.filter((p) => p.age < cut).map((p) => p.title)`,
    calls: ['github:list_prs'],
  },
  {
    title: 'types of all kinds',
    code: `interface Issue { id: number; title: string; labels?: string[] }\ntype Result<T> = { items: T[] } | null\nconst r = await tools.tracker.list({ project: 'X' }) as Result<Issue>\nconst first = (r!.items as Issue[])[0] satisfies Issue | undefined\nfunction pick<T, K extends keyof T>(o: T, k: K): T[K] { return o[k] }\nreturn first ? pick<Issue, 'title'>(first, 'title') : undefined`,
    calls: ['tracker:list'],
  },
  {
    title: 'an enum',
    code: `enum Level { Low = 'low', High = 'high' }\nconst r = await tools.alerts.raise({ level: Level.High, text: 'Hot' })\nreturn r.id`,
    calls: ['alerts:raise'],
  },
  {
    title: 'a generic call',
    code: `const ids = new Map<string, number>()\nconst r = await tools.api.list<{ items: any[] }>({ kind: 'all' })\nfor (const item of r.items) ids.set(item.name, item.id)\nreturn [...ids.entries()].length`,
    calls: ['api:list'],
  },
  {
    title: 'a reduction',
    code: `const r = await tools.shop.orders({ month: '2026-02' })\nconst total = r.items.reduce((sum: number, o: any) => sum + (o.price ?? 0), 0)\nreturn Math.round(total * 100) / 100`,
    calls: ['shop:orders'],
  },
  {
    title: 'a group by key',
    code: `const { items } = await tools.shop.orders({ month: '2026-02' })\nconst by: Record<string, any[]> = {}\nfor (const o of items) (by[o.name] ||= []).push(o.id)\nreturn Object.fromEntries(Object.entries(by).map(([k, v]) => [k, v.length]))`,
    calls: ['shop:orders'],
  },
  {
    title: 'a switch',
    code: `const r = await tools.ci.status({ branch: 'dev' })\nswitch (r.state) {\n  case 'failed': await tools.ci.retry({ id: r.id }); break\n  case 'running': await tools.ci.wait({ id: r.id, seconds: 30 }); break\n  default: return 'fine'\n}\nreturn r.state`,
    calls: ['ci:status', 'ci:retry', 'ci:wait'],
  },
  {
    title: 'retries',
    code: `let last\nfor (let n = 0; n < 3; n++) {\n  try { return await tools.net.get({ url: 'https://x.example/' }) } catch (e) { last = e }\n}\nthrow new Error('gave up: ' + last)`,
    calls: ['net:get'],
  },
  {
    title: 'a regular expression',
    code: `const { text } = await tools.filesystem.read_file({ path: 'a.txt' })\nreturn (text.match(/\\d+/g) || []).map(Number).filter((n) => n > 2)`,
    calls: ['filesystem:read_file'],
  },
  {
    title: 'chunks',
    code: `const ids = [1, 2, 3, 4, 5]\nconst out = []\nfor (let i = 0; i < ids.length; i += 2) {\n  const part = ids.slice(i, i + 2)\n  out.push(...await Promise.all(part.map((id) => tools.api.get({ id }))))\n}\nreturn out.length`,
    calls: ['api:get'],
  },
  {
    title: 'a list that is changed',
    code: `const names = ['b', 'a']\nnames.sort()\nnames.push('c')\nreturn tools.api.save({ names })`,
    calls: ['api:save'],
  },
  {
    title: 'a call inside an argument',
    code: `return tools.a.two({ value: (await tools.a.one({ k: 1 })).value, note: 'n' })`,
    calls: ['a:one', 'a:two'],
  },
  {
    title: 'optional chains',
    code: `const r = await tools.crm.find_user({ email: 'x@example.com' })\nconst id = r?.items?.[0]?.id ?? 'none'\nreturn tools.crm.touch({ id })`,
    calls: ['crm:find_user', 'crm:touch'],
  },
  {
    title: 'a class',
    code: `class Repo {\n  constructor(name) { this.name = name }\n  async issues() { return (await tools.github.list_issues({ repo: this.name, state: 'open' })).items }\n}\nconst r = new Repo('pml')\nreturn (await r.issues()).length`,
    calls: ['github:list_issues'],
  },
  {
    title: 'a generator',
    code: `async function* pages() {\n  for (let page = 1; page <= 2; page++) yield (await tools.api.list({ page, size: 5 })).items\n}\nlet n = 0\nfor await (const items of pages()) n += items.length\nreturn n`,
    calls: ['api:list'],
  },
  {
    title: 'comments everywhere',
    code: `// read it\nconst r = await tools.filesystem.read_file({ path: 'a' /* the path */ })\n/* and\n   return it */\nr.text // done`,
    calls: ['filesystem:read_file'],
  },
  {
    title: 'a map of jobs',
    code: `const jobs = { a: tools.a.one({ n: 1 }), b: tools.a.two({ n: 2 }) }\nconst out: Record<string, unknown> = {}\nfor (const [k, p] of Object.entries(jobs)) out[k] = (await p).value\nreturn out`,
    calls: ['a:one', 'a:two'],
  },
  {
    title: 'a while loop over a queue',
    code: `const queue = ['root']\nconst seen = new Set()\nwhile (queue.length > 0 && seen.size < 4) {\n  const id = queue.shift()\n  if (seen.has(id)) continue\n  seen.add(id)\n  const node = await tools.tree.children({ id })\n  for (const child of node.items) queue.push(child.id)\n}\nreturn [...seen]`,
    calls: ['tree:children'],
  },
  {
    title: 'capabilities and tools together',
    code: `const [report, users] = await Promise.all([capabilities.weekly({ team: 'core' }), tools.crm.list({ role: 'lead' })])\nfor (const u of users.items) await tools.mail.send({ to: u.email, subject: 'Weekly', body: report.text })\nreturn users.items.length`,
    calls: ['weekly', 'crm:list', 'mail:send'],
  },
  {
    title: 'strict, with a semicolon too many',
    code: `'use strict';\nconst a = await tools.time.now({});;\nreturn a.iso;`,
    calls: ['time:now'],
  },
  {
    title: 'nothing is called',
    code: `const xs = [3, 1, 2]\nxs.sort((a, b) => a - b)\nreturn xs.map((x) => x * 2)`,
    calls: [],
  },
  { title: 'a value', code: `1 + 2`, calls: [] },
  { title: 'a text', code: `'hello'`, calls: [] },
  { title: 'nothing', code: ``, calls: [] },
  { title: 'only a comment', code: `// nothing`, calls: [] },
  {
    title: 'long',
    code: `const owner: string = 'casys'
const repo: string = 'pml'
interface Issue { number: number; title: string; labels: string[]; user: string; name: string; id: string }
const since: string = '2026-01-01'
// 1. everything that is open
const open = await tools.github.list_issues({ owner, repo, state: 'open', since })
const issues: Issue[] = open.items
// 2. who works on it
const people = new Set<string>()
for (const issue of issues) {
  people.add(issue.name)
}
// 3. what was said
const comments = await Promise.all(
  issues.slice(0, 20).map(async (issue: Issue) => {
    const r = await tools.github.list_comments({ owner, repo, issue: issue.id })
    return { id: issue.id, count: r.items.length, last: r.items.at(-1)?.name ?? 'nobody' }
  }),
)
// 4. what is quiet
const quiet = comments.filter((c: any) => c.count < 2)
const loud = comments.filter((c: any) => c.count >= 2)
const lines: string[] = []
for (const c of quiet) {
  lines.push(\`- \${c.id}: \${c.count} comments, last by \${c.last}\`)
}
if (loud.length > 0) {
  lines.push('', 'Loud:')
  for (const c of loud) {
    lines.push(\`- \${c.id}: \${c.count}\`)
  }
}
// 5. tell
const text = lines.join('\\n')
const page = await tools.wiki.create_page({
  space: 'ENG',
  title: \`Quiet issues of \${owner}/\${repo}\`,
  body: text,
})
const [posted, mailed] = await Promise.all([
  tools.slack.post({ channel: '#triage', text: \`Report: \${page.url}\` }),
  tools.mail.send({
    to: 'team@example.com',
    subject: 'Quiet issues',
    body: text,
  }),
])
function tally(list: any[]): number {
  let sum = 0
  for (const one of list) sum += one.count
  return sum
}
console.log('people', people.size)
return {
  issues: issues.length,
  people: [...people].sort(),
  comments: tally(comments),
  page: page.url,
  posted: posted.id,
  mailed: mailed.id,
}`,
    calls: ['github:list_issues', 'github:list_comments', 'wiki:create_page', 'slack:post', 'mail:send'],
  },
]

/** What every stub of a tool gives: enough for all of the programs, and different for different arguments. */
export function stubAnswer(name: string, given: Json): Json {
  const text = JSON.stringify(given) ?? ''
  let sum = name.length
  for (let i = 0; i < text.length; i++) sum = (sum * 31 + text.charCodeAt(i)) % 9_973
  const item = (n: number) => ({
    id: `${name}-${sum}-${n}`,
    name: `n${(sum + n) % 7}.md`,
    title: `t${n}`,
    number: n,
    email: `u${n}@x.io`,
    price: n * 1.5,
    age: n,
    url: `https://x/${n}`,
  })
  return {
    id: `id${sum}`,
    items: [item(1), item(2), item(3)],
    text: `line ${sum}\nline 2 12`,
    name: `name${sum}`,
    value: sum,
    temp: sum % 40,
    state: sum % 2 === 0 ? 'failed' : 'running',
    iso: '2026-01-01T00:00:00Z',
    url: `https://example.com/${sum}`,
    email: `m${sum}@example.com`,
    number: sum,
    ok: sum % 3 !== 0,
    next: sum % 2 === 0 ? `p${sum}` : null,
  }
}

/** Runs the body of an async function with stubs, and says what it called and what it gave. */
export async function runSample(
  javascript: string,
  args: JsonObject,
): Promise<{ readonly calls: readonly string[]; readonly value: unknown; readonly error?: string }> {
  const calls: string[] = []
  const call = async (name: string, given: unknown = {}) => {
    const text = JSON.stringify(given) ?? '{}'
    calls.push(`${name} ${text}`)
    return stubAnswer(name, JSON.parse(text) as Json)
  }
  const tools = new Proxy(
    {},
    {
      get: (_, server) =>
        new Proxy((given: unknown) => call(String(server), given), {
          get: (_, tool) => (given: unknown) => call(`${String(server)}:${String(tool)}`, given),
        }),
    },
  )
  const capabilities = new Proxy({}, { get: (_, name) => (given: unknown) => call(String(name), given) })
  const quiet = { log() {}, info() {}, warn() {}, error() {}, debug() {} }
  const AsyncFunction = (async () => {}).constructor as new (
    ...parts: string[]
  ) => (...given: unknown[]) => Promise<unknown>
  try {
    const run = new AsyncFunction('args', 'tools', 'capabilities', 'console', javascript)
    const value = await run(structuredClone(args), tools, capabilities, quiet)
    return { calls, value: value === undefined ? undefined : JSON.parse(JSON.stringify(value) ?? 'null') }
  } catch (error) {
    return { calls, value: undefined, error: error instanceof Error ? error.message : String(error) }
  }
}
