// Fifteen real servers from npm behind one gateway: are all their tools there, what do they cost, and is anything left behind?
//   npm run bench:servers   prints the tables of README.md; ends with 1 when a claim did not hold
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fifteenServers } from './fifteen.js'
import { findBrowser } from './find-browser.js'
import { installServers } from './install-servers.js'
import { printTables } from './print-tables.js'
import { startRedisStandIn } from './redis-stand-in.js'
import { runDirect, runWithoutService } from './run-direct.js'
import { runGateway } from './run-gateway.js'
import { runOneDown } from './run-one-down.js'

const say = (text) => process.stderr.write(`${text}\n`)
const scratch = mkdtempSync(join(tmpdir(), 'pml-servers-'))
const folder = join(scratch, 'folder')
const directHome = join(scratch, 'home-direct')
for (const each of [folder, directHome]) mkdirSync(each)
writeFileSync(join(folder, 'note.txt'), 'a note\n')

let claims = 0
const broken = []
const check = (claim, held, detail = '') => {
  claims++
  if (!held) broken.push(`${claim}${detail === '' ? '' : ` (${detail})`}`)
}

const redis = await startRedisStandIn()
const servers = fifteenServers({ folder, redisUrl: redis.url, browser: findBrowser(process.env) })
await installServers(servers)

say('each server by itself ...')
const direct = await runDirect({ servers, home: directHome, folder })
for (const { name, trouble } of direct.servers)
  check(`direct: ${name} starts offline`, trouble === undefined, trouble)
const down = servers.find((server) => server.argsAlone !== undefined)
say(`${down.name} without its service ...`)
const alone = await runWithoutService({ server: down, home: directHome, folder })

const gateways = {}
for (const exposure of ['auto', 'proxy']) {
  say(`all behind one gateway, exposure ${exposure} ...`)
  gateways[exposure] = await runGateway({
    servers,
    expected: direct.servers,
    folder,
    scratch,
    exposure,
    check,
  })
}
say(`all behind one gateway, ${down.name} without its service ...`)
const oneDown = await runOneDown({ servers, down: down.name, folder, scratch, check })
await redis.close()
rmSync(scratch, { recursive: true, force: true, maxRetries: 5 })

printTables({ servers, direct, down: { name: down.name, alone, ...oneDown }, ...gateways, claims, broken })
process.exitCode = broken.length === 0 ? 0 : 1
