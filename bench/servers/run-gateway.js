// The fifteen behind one `pml serve`: a first start, what it then knows, lists and answers, three windows, and later starts.
import { tokensOfTools } from './count-tokens.js'
import { discoverAll } from './discover-all.js'
import { openHouse } from './open-house.js'
import { canCountProcesses, residentMb } from './processes.js'

const restarts = 5

/** `expected` holds the tools of each server as a direct client saw them; `check` takes a claim and whether it held. */
export async function runGateway({ servers, expected, folder, scratch, exposure, check }) {
  const house = openHouse({ name: exposure, servers, folder, scratch, exposure, check })
  const { claim, watch } = house

  const first = await house.open()
  await first.listTools()
  const firstListMs = performance.now() - first.startedAt
  const states = await house.settled()
  const allReadyMs = performance.now() - first.startedAt
  for (const { name, status, trouble } of states)
    claim(`${name} is ready`, status === 'ready', `${status} ${trouble?.message ?? ''}`)
  const processes = watch.living().length

  const listed = await first.listTools()
  const { tools: known } = await house.pml('tools')
  for (const { name, tools } of expected) {
    const missing = tools.filter((tool) => !known.some(({ id }) => id === `${name}:${tool.name}`))
    claim(`all tools of ${name} are known`, missing.length === 0, missing.map((tool) => tool.name).join(', '))
  }
  if (exposure === 'proxy') {
    const names = new Set(listed.map((tool) => tool.name))
    const missing = known.filter(({ name }) => !names.has(name))
    claim('every known tool is listed', missing.length === 0, missing.map(({ id }) => id).join(', '))
  }
  const discovered = exposure === 'proxy' ? undefined : await discoverAll({ client: first, expected, claim })

  const windows = [await house.open(), await house.open()]
  for (const window of windows) {
    const seen = await window.listTools()
    claim('another window sees the same list', seen.length === listed.length, String(seen.length))
  }
  const processesOfThree = watch.living().length
  const memoryOfThreeMb = watch.memoryMb()
  await Promise.all(windows.map((window) => window.close()))

  const calls = await callEach(first, servers, claim)
  const processesAfterCalls = watch.living().length
  const memoryMb = residentMb(first.pid)
  if (canCountProcesses) claim('the gateway is alive', memoryMb > 0)
  const closed = await house.close(first, 'first run')

  const restartMs = []
  for (let n = 0; n < restarts; n++) {
    const again = await house.open()
    const seen = await again.listTools()
    restartMs.push(performance.now() - again.startedAt)
    claim('a later start lists the same', seen.length === listed.length, String(seen.length))
    // Servers are still starting here: leaving now must leave none of them behind.
    await house.close(again, `later start ${n + 1}`)
  }
  const later = await house.open()
  await house.settled()
  const memoryLaterMb = residentMb(later.pid)
  await house.close(later, 'last start')

  return {
    revisions: Object.fromEntries(states.map(({ name, protocolVersion }) => [name, protocolVersion])),
    known: known.length,
    listed: listed.length,
    tokens: tokensOfTools(listed),
    discovered,
    calls,
    firstListMs,
    allReadyMs,
    restartMs,
    processes,
    processesOfThree,
    memoryOfThreeMb,
    processesAfterCalls,
    left: closed.left,
    closeMs: closed.ms,
    memoryMb,
    memoryLaterMb,
  }
}

/** One harmless call to each server that has one, by its name on the wire, whether the list shows it or not. */
async function callEach(client, servers, claim) {
  const outcomes = {}
  for (const { name, call } of servers) {
    if (call === undefined) continue
    const answer = await client.callTool(`${name}__${call.tool}`, call.arguments).catch((error) => ({
      isError: true,
      content: [{ text: error.message }],
    }))
    const text = (answer.content ?? []).map((block) => block.text ?? '').join('\n')
    const wanted = call.fails ?? call.says
    const held = (answer.isError === true) === (call.fails !== undefined) && text.includes(wanted)
    claim(`${name}:${call.tool} says "${wanted}"`, held, text.slice(0, 300))
    outcomes[name] = held ? (call.fails === undefined ? 'answers' : 'error passed on') : 'FAILED'
  }
  return outcomes
}
