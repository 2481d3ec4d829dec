/** A program that fetches what it runs: its first start takes as long as the download does. */
export interface Launcher {
  /** Its name without folder and ending: `npx`. */
  readonly program: string
  /** The package or image it is asked to run, where its arguments tell. */
  readonly target?: string
}

/** What the command of a server is started by, where that may have to be downloaded first. */
export function launcherOf(command: string, args: readonly string[]): Launcher | undefined {
  const program = programName(command)
  const start = fetching[program]?.(args)
  if (start === undefined) return undefined
  const target = optionValue(args, packageOptions[program] ?? []) ?? firstWord(args.slice(start), program)
  return target === undefined ? { program } : { program, target }
}

/** `/usr/local/bin/npx` and `C:\node\npx.cmd` are both npx. */
export function programName(command: string): string {
  const last = command.split(/[/\\]/).at(-1) ?? command
  return last.replace(/\.(?:exe|cmd|bat|ps1)$/i, '').toLowerCase()
}

/** Gives where the target begins in the arguments; undefined where these arguments download nothing. */
type Fetching = (args: readonly string[]) => number | undefined

const always: Fetching = () => 0
const afterWord =
  (...words: readonly string[]): Fetching =>
  (args) => {
    const at = args.findIndex((arg) => !arg.startsWith('-'))
    return at >= 0 && words.includes(args[at]!) ? at + 1 : undefined
  }

const fetching: Readonly<Record<string, Fetching>> = {
  npx: always,
  uvx: always,
  bunx: always,
  pnpx: always,
  npm: afterWord('exec', 'x'),
  pnpm: afterWord('dlx'),
  yarn: afterWord('dlx'),
  bun: afterWord('x'),
  pipx: afterWord('run'),
  uv: (args) => (args[0] === 'tool' && args[1] === 'run' ? 2 : undefined),
  docker: afterWord('run', 'pull'),
  podman: afterWord('run', 'pull'),
}

/** Options that name the package themselves; what follows is then a program of it. */
const packageOptions: Readonly<Record<string, readonly string[]>> = {
  npx: ['-p', '--package'],
  npm: ['-p', '--package'],
  uvx: ['--from'],
  uv: ['--from'],
  pipx: ['--spec'],
}

/** Options that take a value as the next word; without them a value would pass for the target. */
const takesValue: Readonly<Record<string, RegExp>> = {
  docker:
    /^(?:-e|--env|--env-file|-v|--volume|--mount|-p|--publish|--name|--network|--net|-w|--workdir|-u|--user|--entrypoint|--add-host|--platform|-h|--hostname|-m|--memory|--cpus|-l|--label|--pull)$/,
  uvx: /^(?:-p|--python|--with|--index-url|--index|--extra-index-url|-i|--refresh-package)$/,
  npx: /^(?:-c|--call|--registry|--userconfig|--cache)$/,
}
const sameAs: Readonly<Record<string, string>> = { podman: 'docker', uv: 'uvx', npm: 'npx', pnpm: 'npx' }

function optionValue(args: readonly string[], options: readonly string[]): string | undefined {
  for (const [at, arg] of args.entries()) {
    if (options.includes(arg)) return args[at + 1]
    const long = options.find((option) => arg.startsWith(`${option}=`))
    if (long !== undefined) return arg.slice(long.length + 1)
  }
  return undefined
}

function firstWord(args: readonly string[], program: string): string | undefined {
  const values = takesValue[program] ?? takesValue[sameAs[program] ?? '']
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at]!
    if (arg === '--') return args[at + 1]
    if (!arg.startsWith('-')) return arg
    if (values?.test(arg)) at += 1
  }
  return undefined
}
