import { cpus, loadavg, totalmem } from 'node:os'
import { median } from '../overhead/stats.js'
import { canCountProcesses } from './processes.js'

const whole = (value) => Math.round(value).toLocaleString('en-GB')
const counted = (value) => (canCountProcesses ? whole(value) : 'not counted here')
const row = (...cells) => console.log(`| ${cells.join(' | ')} |`)

/** The tables of README.md, in Markdown. */
export function printTables({ servers, direct, down, auto, proxy, claims, broken }) {
  const gigabytes = Math.round(totalmem() / 1e9)
  console.log(
    `${cpus().length} x ${cpus()[0].model.trim()}, ${gigabytes} GB, Node ${process.versions.node}, ${process.platform}, load ${loadavg()[1].toFixed(1)} in the last 5 minutes, ${new Date().toISOString().slice(0, 10)}\n`,
  )
  row('server', 'package', 'revision', 'tools', 'tokens', 'first list, ms', 'one call')
  row('---', '---', '---', '---:', '---:', '---:', '---')
  for (const server of servers) {
    const { name } = server
    const { tools, tokens, ms, trouble } = direct.servers.find((one) => one.name === name)
    const called =
      server.call === undefined ? `needs ${server.needs}` : `${server.call.tool}: ${auto.calls[name]}`
    const packageName = `${server.package}@${server.version}`
    if (trouble !== undefined) row(name, packageName, `does not start: ${trouble}`, 0, 0, '', '')
    else row(name, packageName, auto.revisions[name] ?? '', tools.length, whole(tokens), whole(ms), called)
  }
  const toolCount = direct.servers.reduce((sum, { tools }) => sum + tools.length, 0)
  const tokens = direct.servers.reduce((sum, one) => sum + one.tokens, 0)
  row('**all**', '', '', `**${toolCount}**`, `**${whole(tokens)}**`, '', '')
  console.log(
    `\n${down.name} by itself without its service: ${down.alone}. Behind the gateway it is then down (${down.trouble}), the others are ready, and the first list of a first start took ${whole(down.firstListMs)} ms.`,
  )

  console.log()
  row('', 'direct', 'PML, auto', 'PML, proxy')
  row('---', '---:', '---:', '---:')
  row('tools known', whole(toolCount), whole(auto.known), whole(proxy.known))
  row('tools in the list', whole(toolCount), whole(auto.listed), whole(proxy.listed))
  row('tokens of the list', whole(tokens), whole(auto.tokens), whole(proxy.tokens))
  row('saved against direct', '', share(1 - auto.tokens / tokens), share(1 - proxy.tokens / tokens))
  row('first list, first start, ms', '', whole(auto.firstListMs), whole(proxy.firstListMs))
  row('all servers ready, first start, ms', '', whole(auto.allReadyMs), whole(proxy.allReadyMs))
  row('first list, later start, median / worst ms', '', spread(auto.restartMs), spread(proxy.restartMs))
  row('processes, one window', counted(direct.processes), counted(auto.processes), counted(proxy.processes))
  row(
    'processes, three windows',
    counted(direct.processes * 3),
    counted(auto.processesOfThree),
    counted(proxy.processesOfThree),
  )
  row(
    'processes after one call each',
    '',
    counted(auto.processesAfterCalls),
    counted(proxy.processesAfterCalls),
  )
  row('processes left after close', counted(direct.left), counted(auto.left), counted(proxy.left))
  row('all gone after, ms', '', whole(auto.closeMs), whole(proxy.closeMs))
  row('resident, gateway alone, first / later run, MB', '', memory(auto), memory(proxy))
  row(
    'resident, three windows and all servers, MB',
    counted(direct.memoryMb * 3),
    counted(auto.memoryOfThreeMb),
    counted(proxy.memoryOfThreeMb),
  )

  console.log()
  row('discover', 'wanted', 'place', 'tokens as text', 'tokens as JSON')
  row('---', '---', '---:', '---:', '---:')
  for (const answer of auto.discovered)
    row(answer.intent, answer.wanted, answer.place, whole(answer.textTokens), whole(answer.jsonTokens))
  const text = median(auto.discovered.map((answer) => answer.textTokens))
  const json = median(auto.discovered.map((answer) => answer.jsonTokens))
  row('**median**', '', '', `**${whole(text)}**`, `**${whole(json)}**`)
  const saved = tokens - auto.tokens
  const searches = (each) => Math.floor(saved / each)
  console.log(
    `\nA task with three searches reads ${whole(auto.tokens + 3 * text)} tokens (text) or ${whole(auto.tokens + 3 * json)} (JSON) instead of ${whole(tokens)}. The saving of ${whole(saved)} is spent after ${searches(text)} searches in one conversation read as text, ${searches(json)} read as JSON.`,
  )

  console.log(`\n${claims} claims checked, ${broken.length} did not hold.`)
  for (const claim of broken) console.log(`- ${claim}`)
}

function share(part) {
  return `${(part * 100).toFixed(1)} %`
}

function spread(times) {
  return `${whole(median(times))} / ${whole(Math.max(...times))}`
}

function memory({ memoryMb, memoryLaterMb }) {
  return canCountProcesses ? `${whole(memoryMb)} / ${whole(memoryLaterMb)}` : 'not counted here'
}
