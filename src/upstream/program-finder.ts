/**
 * Finds the programs that servers are started by. Clients with a window start us with a bare PATH, so a command is looked
 * for on our PATH, then on the login shell's, then where installers put things. The shell is asked once per process, and
 * only when a command is not on our PATH or that PATH is a bare one: rc files can be slow.
 */
import { homedir, userInfo } from 'node:os'
import { dirname, posix, win32 } from 'node:path'
import { findProgram, isPath } from './find-program.js'
import { knownPlaces } from './known-places.js'
import { loginShellPath, type ShellPath } from './login-shell-path.js'

export interface FoundProgram {
  /** The file to start; undefined when it is nowhere. */
  readonly file: string | undefined
  /** What the child gets as PATH: a wrapper found by its full path still looks for `node`. */
  readonly path: string
  /** Where it was looked for, in words. */
  readonly searched: readonly string[]
}

export interface ProgramFinder {
  find(command: string, configured: Readonly<Record<string, string>>): Promise<FoundProgram>
  /** The login shell's PATH, asked for now where it was not yet; undefined where there is no such thing. */
  shellPath(): Promise<ShellPath | undefined>
}

export interface FinderOptions {
  readonly env: NodeJS.ProcessEnv
  readonly platform: NodeJS.Platform
  readonly home: string
  /** The user's shell; undefined on Windows, which has none. */
  readonly shell: string | undefined
  readonly shellTimeoutMs: number
}

/** A file that hangs or asks costs this much, once. */
const shellTimeoutMs = 5000

export function createProgramFinder(options: FinderOptions): ProgramFinder {
  const { env, platform, home, shell } = options
  const { delimiter } = platform === 'win32' ? win32 : posix
  const ours = pathOf(env, platform) ?? ''
  const besideUs = dirname(process.execPath)
  const endings = env.PATHEXT
  const join = (...parts: readonly string[]): string =>
    [...new Set(parts.flatMap((part) => part.split(delimiter)).filter(Boolean))].join(delimiter)
  const look = (command: string, path: string): string | undefined =>
    // A place is started as it is written; on Windows its ending may have been left out.
    isPath(command) && platform !== 'win32' ? command : findProgram(command, { path, endings, platform })

  let asked: Promise<ShellPath> | undefined
  const shellPath = async (): Promise<ShellPath | undefined> => {
    if (shell === undefined) return undefined
    asked ??= loginShellPath({ shell, env, timeoutMs: options.shellTimeoutMs })
    return asked
  }

  return {
    shellPath,
    async find(command, configured) {
      const own = pathOf(configured, platform)
      if (own !== undefined)
        return { file: look(command, own), path: own, searched: ['env.PATH of the server'] }
      const onOurs = look(command, ours)
      if (onOurs !== undefined && !isBare(ours, platform)) {
        return {
          file: onOurs,
          path: ours.split(delimiter).includes(besideUs) ? ours : join(ours, besideUs),
          searched: ['PATH'],
        }
      }
      const answer = await shellPath()
      const shells = answer !== undefined && 'path' in answer ? answer.path : ''
      // Over a bare PATH people mean what a terminal starts: the system's own programs there are older ones.
      const both = isBare(ours, platform) ? [shells, ours] : [ours, shells]
      const path = join(...both, besideUs, ...knownPlaces(env, home, platform))
      return {
        file: look(command, path),
        path,
        searched: ['PATH', ...(answer === undefined ? [] : [shellPlace(answer)]), 'the usual folders'],
      }
    },
  }
}

function shellPlace(answer: ShellPath): string {
  const place = 'the PATH of the login shell'
  return 'trouble' in answer ? `${place} (${answer.shell} ${answer.trouble})` : place
}

let shared: ProgramFinder | undefined

/** The one of this process. */
export function programFinder(): ProgramFinder {
  shared ??= createProgramFinder({
    env: process.env,
    platform: process.platform,
    home: homedir(),
    shell: process.platform === 'win32' ? undefined : accountShell(process.env),
    shellTimeoutMs,
  })
  return shared
}

export function accountShell(env: NodeJS.ProcessEnv): string | undefined {
  if (env.SHELL) return env.SHELL
  try {
    return userInfo().shell ?? undefined
  } catch {
    // An account without an entry, as in some containers.
    return undefined
  }
}

const systemFolders = new Set(['/usr/bin', '/bin', '/usr/sbin', '/sbin'])

/** macOS gives its windows these four and nothing else; so do bare service managers. */
export function isBare(path: string, platform: NodeJS.Platform): boolean {
  if (platform === 'win32') return false
  return path.split(':').every((folder) => folder === '' || systemFolders.has(folder))
}

/** `PATH` is `Path` on Windows. */
function pathOf(
  env: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform,
): string | undefined {
  if (platform !== 'win32') return env.PATH
  const name = Object.keys(env).find((key) => key.toUpperCase() === 'PATH')
  return name === undefined ? undefined : env[name]
}
