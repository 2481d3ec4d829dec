// A configuration that a team commits: what a new colleague is told, and what they have once they did it.
import assert from 'node:assert/strict'
import { fileURLToPath } from 'node:url'
import { tell } from '../lib.js'

const config = fileURLToPath(new URL('pml.config.yaml', import.meta.url))

await tell(async ({ env, pml }) => {
  console.log('pml doctor, on the first day')
  const first = await doctor(pml)
  const missing = first.findings.filter(({ check, level }) => check === 'config' && level !== 'ok')
  for (const { fix } of missing) console.log(`  fix: ${fix}`)
  assert.deepEqual(
    missing.map(({ fix }) => /^Set (\w+)/.exec(fix)?.[1]),
    ['TICKETS_USER', 'TICKETS_TOKEN'],
    'each variable that is missing has a fix of its own; what is disabled needs none',
  )
  assert.equal(levelOf(first, 'server handbook'), 'ok', 'the other servers work')

  console.log('pml doctor, with both set')
  const mine = { env: { ...env, TICKETS_USER: 'ada', TICKETS_TOKEN: 'secret-0123456789' } }
  const second = await doctor(pml, mine)
  for (const { check, message } of second.findings) {
    if (check.startsWith('server ')) console.log(`  ${check}: ${message}`)
  }
  assert.equal(second.broken, 0, JSON.stringify(second.findings))
  assert.equal(levelOf(second, 'server tickets'), 'ok')

  const tickets = await pml(['call', 'tickets:my_tickets', '--config', config], mine)
  assert.equal(tickets.stdout.trim(), 'TEA-7, for ada: more tea')
  console.log(`pml call tickets:my_tickets\n  ${tickets.stdout.trim()}`)
  const page = await pml(['call', 'handbook:read_text_file', 'path=release.md', '--config', config], mine)
  assert.match(page.stdout, /wait for green/)
  console.log('pml call handbook:read_text_file path=release.md\n  ...')
})

async function doctor(pml, options) {
  return JSON.parse((await pml(['doctor', '--json', '--config', config], options)).stdout)
}

function levelOf({ findings }, check) {
  return findings.find((finding) => finding.check === check)?.level
}
