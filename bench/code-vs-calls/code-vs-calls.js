// What does an agent save by writing a program? One task of twelve calls, three ways and a fourth, through one gateway.
//   npm run bench:code-vs-calls            prints the tables of README.md
//   npm run bench:code-vs-calls -- --json  the same as one JSON object on the last line
//   npm run bench:code-vs-calls -- --quick three rounds instead of eleven

import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { median } from '../overhead/stats.js'
import { makeHome, pmlBin, pmlEnvironment, stdioClient } from '../overhead/subjects.js'
import { tokensOfText, tokensOfTools } from '../servers/count-tokens.js'

const rounds = process.argv.includes('--quick') ? 3 : 11
const sizes = [60, 600]
/** Shorter than any agent's; what was started for the next program is there. */
const pauseMs = 500
const root = fileURLToPath(new URL('../../', import.meta.url))
const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'pml-code-vs-calls-')))
const npmServer = (name, ...args) => ({
  command: process.execPath,
  args: [join(root, 'node_modules/@modelcontextprotocol', `server-${name}`, 'dist/index.js'), ...args],
})
const servers = {
  files: npmServer('filesystem', scratch),
  memory: { ...npmServer('memory'), env: { MEMORY_FILE_PATH: join(scratch, 'memory.jsonl') } },
  everything: npmServer('everything'),
}
const house = makeHome(servers, {
  exposure: 'meta',
  approvals: { tools: { 'files:write_file': 'allow' } },
})

const names = ['ash', 'birch', 'cedar', 'elm', 'fir', 'hazel', 'larch', 'maple', 'oak', 'pine']
const words =
  'the leaves of this tree are long and fall in late autumn when rain comes from west over hills'.split(' ')

/** A folder nobody has seen: ten notes of about so many words. */
let folders = 0
function newFolder(size) {
  const folder = join(scratch, `notes-${++folders}`)
  mkdirSync(folder)
  for (const [at, name] of names.entries()) {
    const body = Array.from({ length: size }, (_, n) => words[(n * 7 + at * 5 + folders) % words.length])
    writeFileSync(join(folder, `${name}.md`), `# On the ${name}, ${folders}\n\n${body.join(' ')}\n`)
  }
  return folder
}
const linesOf = (texts) =>
  texts
    .map(([name, text]) => `${name}: ${text.split('\n')[0].slice(2)}, ${text.split(/\s+/).length} words`)
    .join('\n')
const notesIn = (folder) =>
  names.map((name) => [`${name}.md`, readFileSync(join(folder, `${name}.md`), 'utf8')])

/** What an agent has: each call is a round trip, whose request it writes and whose answer it reads. */
function agentOf(client) {
  const spent = { trips: 0, written: 0, read: 0 }
  return {
    spent,
    async call(name, args, isEnough = () => true) {
      spent.trips++
      spent.written += tokensOfText(JSON.stringify({ name, arguments: args }))
      const result = await client.callTool({ name, arguments: args })
      const text = result.content.map((block) => block.text ?? '').join('\n')
      if (result.isError) throw new Error(`${name}: ${text}`)
      // Where the text is cut, it is the structured content that an agent goes by.
      spent.read += tokensOfText(isEnough(text) ? text : JSON.stringify(result.structuredContent))
      return { text, data: result.structuredContent }
    },
  }
}

const code = `const { content } = await tools.files.list_directory({ path: args.folder })
const names = content.split('\\n').filter((line) => line.startsWith('[FILE]')).map((line) => line.slice(7))
const lines = await Promise.all(names.map(async (name) => {
  const { content } = await tools.files.read_text_file({ path: \`\${args.folder}/\${name}\` })
  return \`\${name}: \${content.split('\\n')[0].slice(2)}, \${content.split(/\\s+/).length} words\`
}))
await tools.files.write_file({ path: args.to, content: lines.join('\\n') })
return { files: lines.length }`
const intent = 'write a summary of the notes of a folder'

const ways = {
  async 'call by call'(agent, { folder, to }) {
    const { data } = await agent.call('files__list_directory', { path: folder })
    const texts = []
    for (const name of namesIn(data.content))
      texts.push([
        name,
        (await agent.call('files__read_text_file', { path: join(folder, name) })).data.content,
      ])
    await agent.call('files__write_file', { path: to, content: linesOf(texts) })
  },
  async workflow(agent, { folder, to }) {
    const { data } = await agent.call('files__list_directory', { path: folder })
    const found = namesIn(data.content)
    const tasks = found.map((name, at) => ({
      id: `read${at}`,
      tool: 'files__read_text_file',
      arguments: { path: join(folder, name) },
    }))
    const isWhole = (text) => !text.includes('"handle"')
    const read = await agent.call('execute_workflow', { tasks }, isWhole)
    const texts = read.data.tasks.map(({ result }, at) => [found[at], result.content])
    await agent.call('files__write_file', { path: to, content: linesOf(texts) })
  },
  code: (agent, given) => agent.call('execute_code', { code, intent, arguments: given }),
  /** Learned from the code: any later time. */
  async 'learned procedure'(agent, given, { learned }) {
    await agent.call(learned, given)
  },
}

function namesIn(listing) {
  return listing
    .split('\n')
    .filter((line) => line.startsWith('[FILE]'))
    .map((line) => line.slice(7))
}

async function runTask(client, way, size, known) {
  const folder = newFolder(size)
  const to = join(folder, 'summary.txt')
  const agent = agentOf(client)
  const started = performance.now()
  await ways[way](agent, { folder, to }, known)
  const ms = performance.now() - started
  if (readFileSync(to, 'utf8') !== linesOf(notesIn(folder))) throw new Error(`${way}: another summary`)
  return { ...agent.spent, ms }
}

const openGateway = ({ home, config } = house) =>
  stdioClient(process.execPath, [pmlBin, 'serve', '--config', config], pmlEnvironment(home))

async function learnedName(client) {
  for (let tries = 0; tries < 100; tries++) {
    const { structuredContent } = await client.callTool({
      name: 'discover',
      arguments: { intent, kind: 'capability' },
    })
    const [best] = structuredContent.tools
    if (best !== undefined) return best.name
    await sleep(100)
  }
  throw new Error('nothing was learned of the code')
}

async function measure() {
  // The first start makes the database, and the first program is learned from.
  const first = await openGateway()
  await runTask(first.client, 'code', sizes[0], {})
  const known = { learned: await learnedName(first.client) }
  const tokens = await tokensToKnow(first.client)
  await first.close()

  const figures = []
  for (const size of sizes) {
    const cold = await timedCold(size, known)
    const warm = await timedWarm(size, known)
    for (const way of Object.keys(ways)) {
      const { trips, written, read } = warm[way].at(-1)
      const ms = median(warm[way].map((task) => task.ms))
      figures.push({ way, words: size, trips, written, read, cold: cold[way], warm: ms })
    }
  }
  return { tokens, figures }
}

/** Each way as the first that a gateway is asked for. */
async function timedCold(size, known) {
  const ms = {}
  for (const way of Object.keys(ways)) {
    process.stderr.write(`${size} words, cold: ${way} ...\n`)
    const gateway = await openGateway()
    ms[way] = (await runTask(gateway.client, way, size, known)).ms
    await gateway.close()
  }
  return ms
}

/** All ways by turns, each after a pause as agents make them; once before anything counts. */
async function timedWarm(size, known) {
  process.stderr.write(`${size} words, warm ...\n`)
  const gateway = await openGateway()
  const tasks = Object.fromEntries(Object.keys(ways).map((way) => [way, []]))
  for (let at = -1; at < rounds; at++)
    for (const way of Object.keys(ways)) {
      await sleep(pauseMs)
      const task = await runTask(gateway.client, way, size, known)
      if (at >= 0) tasks[way].push(task)
    }
  await gateway.close()
  return tasks
}

/** What an agent has to read before: all tools, or ours and a search. */
async function tokensToKnow(client) {
  const meta = tokensOfTools((await client.listTools()).tools)
  const agent = agentOf(client)
  await agent.call('discover', { intent: 'list a folder, read text files, write a file', types: true })
  return { meta, all: await tokensOfAll(), discover: agent.spent.read + agent.spent.written }
}

/** In a home of its own: who joins a gateway that runs is shown what that one shows. */
async function tokensOfAll() {
  const own = makeHome(servers, { exposure: 'proxy' })
  const { client, close } = await openGateway(own)
  for (;;) {
    const { tools } = await client.listTools(undefined, { cacheMode: 'bypass' })
    if (Object.keys(servers).every((name) => tools.some((tool) => tool.name.startsWith(`${name}__`)))) {
      await close()
      rmSync(own.home, { recursive: true, force: true, maxRetries: 5 })
      return tokensOfTools(tools)
    }
  }
}

try {
  const { tokens, figures } = await measure()
  console.log(`node ${process.version}, ${cpus().length} x ${cpus()[0].model.trim()}\n`)
  console.log(
    '| words a file | way | round trips | tokens written | tokens read | in all | cold ms | warm ms |',
  )
  console.log('|---|---|---|---|---|---|---|---|')
  for (const { words: size, way, trips, written, read, cold, warm } of figures)
    console.log(
      `| ${size} | ${way} | ${trips} | ${written} | ${read} | ${written + read} | ${Math.round(cold)} | ${Math.round(warm)} |`,
    )
  console.log(
    `\nbefore: all tools listed ${tokens.all}; ours listed ${tokens.meta}, one discover ${tokens.discover}`,
  )
  if (process.argv.includes('--json')) console.log(JSON.stringify({ tokens, figures }))
} finally {
  rmSync(scratch, { recursive: true, force: true })
  rmSync(house.home, { recursive: true, force: true, maxRetries: 5 })
}
process.exit(0)
