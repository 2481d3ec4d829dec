/** What `pml doctor` says about programs: where servers are started from, here and from a client with a window. */
import { accessSync, constants, existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter } from 'node:path'
import type { PmlConfig } from '../model/config.js'
import type { StdioServerConfig } from '../model/server.js'
import { isPath } from '../upstream/find-program.js'
import { installHint } from '../upstream/install-hint.js'
import type { ShellPath } from '../upstream/login-shell-path.js'
import { accountShell, createProgramFinder, isBare, type ProgramFinder } from '../upstream/program-finder.js'
import { broken, type Finding, ok, warning } from './finding.js'

export interface CheckedPrograms {
  readonly findings: readonly Finding[]
  /** Servers that cannot start for want of their program: there is nothing more to say about them. */
  readonly withoutProgram: ReadonlySet<string>
}

const launchers = ['node', 'npx', 'uvx', 'docker']
/** As macOS gives its windows. */
const barePath = '/usr/bin:/bin:/usr/sbin:/sbin'
const shellTimeoutMs = 5000

export async function checkPrograms(
  config: PmlConfig | undefined,
  env: NodeJS.ProcessEnv,
  platform: NodeJS.Platform = process.platform,
): Promise<CheckedPrograms> {
  const here = finderFor(env, platform)
  const windowed = platform === 'win32' ? here : finderFor({ ...env, PATH: barePath }, platform)
  // Asked from the bare PATH, so that what the shell adds is told apart from what we have already.
  const shell = await windowed.shellPath()
  const servers = (config?.servers ?? []).filter(
    (server): server is StdioServerConfig => server.transport === 'stdio' && !server.disabled,
  )
  const needed = [...groupByProgram(servers).values()]
  const checked = await Promise.all(needed.map((group) => checkProgram(group, here, windowed)))
  return {
    findings: [
      ...checkPath(env, platform, shell),
      await checkLaunchers(here, servers),
      ...checked.map(({ finding }) => finding),
    ],
    withoutProgram: new Set(checked.filter(({ isMissing }) => isMissing).flatMap(({ names }) => names)),
  }
}

function finderFor(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): ProgramFinder {
  return createProgramFinder({
    env,
    platform,
    home: env.HOME || homedir(),
    shell: platform === 'win32' ? undefined : accountShell(env),
    shellTimeoutMs,
  })
}

function checkPath(
  env: NodeJS.ProcessEnv,
  platform: NodeJS.Platform,
  shell: ShellPath | undefined,
): readonly Finding[] {
  const ours = (env.PATH ?? env.Path ?? '').split(delimiter).filter(Boolean)
  const what = isBare(ours.join(delimiter), platform) ? ', a bare one: that of the login shell is used' : ''
  const path = ok('PATH', `${ours.length} folders${what}`)
  if (shell === undefined) return [path]
  if ('trouble' in shell) {
    if (shell.trouble.includes('know how to ask'))
      return [path, ok('login shell', `${shell.shell} ${shell.trouble}`)]
    const fix = `Run: ${shell.shell} -ilc true, and take out of its files what waits or fails there.`
    return [path, warning('login shell', `${shell.shell} ${shell.trouble}`, fix)]
  }
  const theirs = [...new Set(shell.path.split(delimiter).filter(Boolean))]
  const more = theirs.filter((folder) => !ours.includes(folder))
  const less = ours.filter((folder) => !theirs.includes(folder))
  const differences = [
    ...(more.length > 0 ? [`has ${more.join(', ')} beside our PATH`] : []),
    ...(less.length > 0 ? [`does not have ${less.join(', ')}`] : []),
  ]
  const told = differences.length === 0 ? 'its PATH is ours' : differences.join('; ')
  return [path, ok('login shell', `${shell.shell}: ${told}`)]
}

/** What no server needs may be missing. */
async function checkLaunchers(here: ProgramFinder, servers: readonly StdioServerConfig[]): Promise<Finding> {
  const found = await Promise.all(
    launchers.map(async (command) => ({ command, file: (await here.find(command, {})).file })),
  )
  const there = found.filter(({ file }) => file !== undefined).map(({ file }) => file)
  const missing = found.filter(({ file }) => file === undefined).map(({ command }) => command)
  const unneeded = missing.filter((command) => servers.every((server) => server.command !== command))
  const rest = unneeded.length === 0 ? '' : `; not there, and no server needs it: ${unneeded.join(', ')}`
  return ok('launchers', `${there.join(', ') || 'none'}${rest}`)
}

interface ProgramGroup {
  readonly command: string
  readonly env: Readonly<Record<string, string>>
  readonly names: readonly string[]
}

function groupByProgram(servers: readonly StdioServerConfig[]): ReadonlyMap<string, ProgramGroup> {
  const groups = new Map<string, ProgramGroup>()
  for (const { name, command, env } of servers) {
    const key = JSON.stringify([command, env.PATH])
    groups.set(key, { command, env, names: [...(groups.get(key)?.names ?? []), name] })
  }
  return groups
}

async function checkProgram(
  { command, env, names }: ProgramGroup,
  here: ProgramFinder,
  windowed: ProgramFinder,
): Promise<{ readonly finding: Finding; readonly isMissing: boolean; readonly names: readonly string[] }> {
  const check = `command of ${names.join(', ')}`
  if (isPath(command)) return { ...checkFile(check, command), names }
  const { file, searched } = await here.find(command, env)
  if (file === undefined) {
    const message = `${command} is neither on ${searched.join(' nor in ')}`
    return { finding: broken(check, message, installHint(command)), isMissing: true, names }
  }
  const seen = (await windowed.find(command, env)).file !== undefined
  const finding = seen
    ? ok(check, file)
    : warning(
        check,
        `${file} is found from here, but not from a client with a window: no file of the login shell names its folder`,
        `Write ${file} as its command.`,
      )
  return { finding, isMissing: false, names }
}

function checkFile(check: string, file: string): { finding: Finding; isMissing: boolean } {
  if (!existsSync(file)) {
    return { finding: broken(check, `there is no program ${file}`, 'Correct its command.'), isMissing: true }
  }
  try {
    accessSync(file, constants.X_OK)
    return { finding: ok(check, file), isMissing: false }
  } catch {
    const fix = `Make it executable: chmod +x '${file}'`
    return { finding: broken(check, `${file} may not be executed`, fix), isMissing: true }
  }
}
