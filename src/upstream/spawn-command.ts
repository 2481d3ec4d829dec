import { StartError } from '../errors.js'

export interface SpawnCommand {
  readonly file: string
  readonly args: readonly string[]
  /** Windows: the arguments are one command line that is written already. */
  readonly verbatim: boolean
}

/**
 * How a program is handed to `spawn`. Node refuses to start .cmd and .bat files by themselves (CVE-2024-27980), because
 * Windows runs them through cmd.exe, which has its own idea of quoting: they are given to cmd.exe here, quoted for it.
 */
export function spawnCommand(
  file: string,
  args: readonly string[],
  { platform, shell }: { readonly platform: NodeJS.Platform; readonly shell: string | undefined },
): SpawnCommand {
  if (platform !== 'win32' || !/\.(?:cmd|bat)$/i.test(file)) return { file, args, verbatim: false }
  const line = [file, ...args].map(quoteForBatch).join(' ')
  // /e:ON for the escape of %, /v:OFF so that ! means nothing, /d without AutoRun, /s takes the outer quotes off.
  return {
    file: shell || 'cmd.exe',
    args: ['/e:ON', '/v:OFF', '/d', '/s', '/c', `"${line}"`],
    verbatim: true,
  }
}

/**
 * One argument of a batch file. cmd.exe reads the line twice, once itself and once where the file says `%*`, so nothing
 * may rest on `^`: every argument stands in quotes, `"` is doubled so that the quotes stay balanced, and `%` is written
 * as a `%` followed by an empty piece of %cd%, which no variable's name can match.
 */
export function quoteForBatch(arg: string): string {
  if (/[\r\n\0]/.test(arg)) {
    throw new StartError(
      'An argument with a line break cannot be handed to a .cmd file.',
      'Take the line break out of args, or start the program behind the .cmd file directly.',
    )
  }
  const escaped = arg
    .replace(/(\\*)"/g, '$1$1""')
    .replace(/(\\+)$/, '$1$1')
    .replaceAll('%', '%%cd:~,%')
  return `"${escaped}"`
}
