import { setTimeout as sleep } from 'node:timers/promises'
import { dataDirectory } from '../../config/data-directory.js'
import { ConfigError, toErrorInfo } from '../../errors.js'
import type { ToolSummary } from '../../gateway/status.js'
import type { HolderApi } from '../../holder/holder-api.js'
import { checkClients } from '../check-clients.js'
import { checkGateway, type GatewayExpectations, type GatewayFacts } from '../check-gateway.js'
import { checkPrograms } from '../check-path.js'
import { checkConfig, checkDataDirectory, checkNode, checkPort, checkToken } from '../check-setup.js'
import { type CommandContext, commonArgs, defineCliCommand, gatewayChoice } from '../cli-command.js'
import { type Colours, coloursFor } from '../colour.js'
import { broken, type Finding, warning } from '../finding.js'
import { type Io, printJson, printLine } from '../io.js'
import { settledStatus } from '../settled-status.js'

/** A cold `npx` may take this long; a server that takes longer is worth a word. */
const serversMs = 30_000
/** Making a database takes a second, and much longer on a machine that is busy. */
const storeMs = 60_000

export const doctorCommand = defineCliCommand({
  name: 'doctor',
  summary: 'Find what is wrong and how to mend it',
  args: commonArgs,
  examples: ['pml doctor', 'pml doctor --config team.yaml --json'],
  notes: 'Exits with 1 when something is broken. Servers are started to see whether they start.',
  async run(context) {
    const { args, io } = context
    const colours = coloursFor(io, io.stdout)
    const findings: Finding[] = []
    for await (const finding of examine(context)) {
      findings.push(finding)
      if (!args.json) printLine(io, describe(finding, colours))
    }
    const count = (level: Finding['level']): number => findings.filter((one) => one.level === level).length
    if (args.json) {
      printJson(io, {
        ok: count('broken') === 0,
        broken: count('broken'),
        warnings: count('warning'),
        findings,
      })
    } else {
      printLine(io)
      printLine(io, sumUp(count('broken'), count('warning')))
    }
    return count('broken') === 0 ? 0 : 1
  },
})

/** Each check goes on whatever the others found; only a gateway needs all that comes before it. */
async function* examine(context: CommandContext<typeof commonArgs>): AsyncGenerator<Finding> {
  const { args, io } = context
  const home = dataDirectory(io.env)
  yield checkNode(process.version)
  const dataDirectoryFindings = checkDataDirectory(home)
  yield* dataDirectoryFindings
  const { findings, config } = await checkConfig({ file: args.config, env: io.env, cwd: io.cwd, home })
  yield* findings
  const programs = await checkPrograms(config, io.env).catch((error: unknown) => ({
    findings: [fault('PATH', error)],
    withoutProgram: new Set<string>(),
  }))
  yield* programs.findings
  const canHold = dataDirectoryFindings.every(({ level }) => level !== 'broken')
  const { withoutProgram } = programs
  const gateway = canHold
    ? await lookAtGateway(context, { config, withoutProgram, waitedMs: serversMs })
    : { findings: [] }
  yield* gateway.findings
  if (config !== undefined) {
    yield await checkPort(config, gateway.address)
    yield* checkToken(config)
  }
  yield* await checkClients({ platform: process.platform, env: io.env, cwd: io.cwd }).catch(
    (error: unknown) => [fault('clients', error)],
  )
}

/** A check that fails itself must not hide what the others found. */
function fault(check: string, error: unknown): Finding {
  const { message, hint } = toErrorInfo(error)
  return broken(check, message, hint)
}

interface GatewayLook {
  readonly findings: readonly Finding[]
  readonly address?: string | undefined
}

async function lookAtGateway(
  { args, io, gateway }: CommandContext<typeof commonArgs>,
  expected: GatewayExpectations,
): Promise<GatewayLook> {
  try {
    const choice = { ...gatewayChoice(args), quiet: true }
    const facts = await gateway.withGateway(choice, (api) => readGateway(api, io))
    return { findings: checkGateway(facts, expected), address: facts.status.http }
  } catch (error) {
    // Told above, with every line of it.
    if (error instanceof ConfigError && expected.config === undefined) {
      const fix = 'Correct the configuration, then run again: pml doctor'
      return {
        findings: [warning('servers', 'were not looked at: no gateway runs, and none can start', fix)],
      }
    }
    return { findings: [fault('gateway', error)] }
  }
}

async function readGateway(api: HolderApi, { stderr }: Io): Promise<GatewayFacts> {
  const until = Date.now() + storeMs
  let status = await settledStatus(api, serversMs, (names) => {
    if (stderr.isTTY) stderr.write(`waiting for ${names.join(', ')} (${serversMs / 1000} s at most)\n`)
  })
  while (status.runs === undefined && status.storeTrouble === undefined && Date.now() < until) {
    await sleep(200)
    status = await settledStatus(api, 0)
  }
  const { tools } = (await api.get('/api/tools')) as { tools: readonly ToolSummary[] }
  return { status, tools }
}

function sumUp(brokenCount: number, warnings: number): string {
  if (brokenCount === 0 && warnings === 0) return 'Everything works.'
  return `${brokenCount} broken, ${warnings} ${warnings === 1 ? 'warning' : 'warnings'}.`
}

function describe(finding: Finding, { green, yellow, red }: Colours): string {
  const { check, level, message } = finding
  const mark = { ok: green('ok     '), warning: yellow('warning'), broken: red('broken ') }[level]
  const line = `${mark}  ${check}: ${message}`
  return finding.level === 'ok' ? line : `${line}\n         fix: ${finding.fix}`
}
