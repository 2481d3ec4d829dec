import { dataDirectory } from '../../config/data-directory.js'
import { toErrorInfo } from '../../errors.js'
import type { Status } from '../../gateway/status.js'
import type { ServerState } from '../../model/server.js'
import {
  checkCommands,
  checkConfig,
  checkDataDirectory,
  checkNode,
  checkPort,
  type Finding,
} from '../check-setup.js'
import { type CommandContext, commonArgs, defineCliCommand, gatewayChoice } from '../cli-command.js'
import { type Colours, coloursFor } from '../colour.js'
import { printJson, printLine } from '../io.js'
import { settledStatus } from '../settled-status.js'

/** A cold `npx` may take this long; a server that takes longer is worth a word. */
const waitMs = 30_000

export const doctorCommand = defineCliCommand({
  name: 'doctor',
  summary: 'Find what is wrong and how to mend it',
  args: commonArgs,
  examples: ['pml doctor', 'pml doctor --config team.yaml --json'],
  notes: 'Exits with 1 when something is broken.',
  async run(context) {
    const { args, io } = context
    const findings = await examine(context)
    const broken = findings.filter(({ level }) => level === 'broken').length
    if (args.json) printJson(io, { ok: broken === 0, findings })
    else {
      const colours = coloursFor(io, io.stdout)
      for (const finding of findings) printLine(io, describe(finding, colours))
      printLine(io)
      printLine(io, broken === 0 ? 'Everything works.' : `${broken} broken.`)
    }
    return broken === 0 ? 0 : 1
  },
})

async function examine({
  args,
  io,
  gateway,
}: CommandContext<typeof commonArgs>): Promise<readonly Finding[]> {
  const home = dataDirectory(io.env)
  const local = [checkNode(process.version), checkDataDirectory(home)]
  const { findings, config } = await checkConfig({ file: args.config, env: io.env, cwd: io.cwd, home })
  const before = [...local, ...findings]
  if (config === undefined || local.some(({ level }) => level === 'broken')) return before
  try {
    const status = await gateway.withGateway(gatewayChoice(args), (api) => settledStatus(api, waitMs))
    return [
      ...before,
      ...checkCommands(config, io),
      await checkPort(config, status.http),
      ...checkStatus(status, config.source),
    ]
  } catch (error) {
    const { message, hint } = toErrorInfo(error)
    return [
      ...before,
      ...checkCommands(config, io),
      await checkPort(config, undefined),
      { check: 'gateway', level: 'broken', message, fix: hint },
    ]
  }
}

function checkStatus(status: Status, source: string): readonly Finding[] {
  const holder: Finding =
    status.pid === process.pid
      ? { check: 'gateway', level: 'ok', message: 'none is running; opened one to look' }
      : {
          check: 'gateway',
          level: 'ok',
          message: `process ${status.pid} is alive, version ${status.version}`,
        }
  const other: Finding[] =
    status.config === source
      ? []
      : [
          {
            check: 'gateway',
            level: 'warning',
            message: `it runs with ${status.config}, not with ${source}`,
            fix: `End process ${status.pid} to have the other file used, or name the same one with --config.`,
          },
        ]
  const changed: Finding[] =
    status.tools.quarantined === 0
      ? []
      : [
          {
            check: 'tools',
            level: 'warning',
            message: `${status.tools.quarantined} changed since they were approved and are not called`,
            fix: 'See what changed with: pml trust',
          },
        ]
  return [holder, ...other, ...status.servers.map(checkServer), ...changed]
}

function checkServer({ name, status, trouble, toolCount }: ServerState): Finding {
  const check = `server ${name}`
  if (status === 'ready') return { check, level: 'ok', message: `ready, ${toolCount} tools` }
  if (status === 'disabled') return { check, level: 'ok', message: 'disabled' }
  if (trouble !== undefined) return { check, level: 'broken', message: trouble.message, fix: trouble.hint }
  const fix = 'Start it by hand to see what it waits for; a slow one needs a larger connectTimeoutMs.'
  return { check, level: 'warning', message: `still ${status} after ${waitMs / 1000} s`, fix }
}

function describe({ check, level, message, fix }: Finding, { green, yellow, red }: Colours): string {
  const mark = { ok: green('ok     '), warning: yellow('warning'), broken: red('broken ') }[level]
  const line = `${mark}  ${check}: ${message}`
  return fix === undefined ? line : `${line}\n         fix: ${fix}`
}
