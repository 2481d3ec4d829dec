import { accessSync, constants, statSync } from 'node:fs'
import { posix, win32 } from 'node:path'

export interface ProgramPlaces {
  /** As in the environment: folders with `:` or `;` between them. */
  readonly path: string
  /** Windows alone: the endings tried, as in PATHEXT. */
  readonly endings?: string | undefined
  readonly platform: NodeJS.Platform
}

/** Where a command would be started from, as the operating system looks for it; undefined when it is nowhere. */
export function findProgram(command: string, { path, endings, platform }: ProgramPlaces): string | undefined {
  const { delimiter, join, isAbsolute } = platform === 'win32' ? win32 : posix
  const names = platform === 'win32' ? withEndings(command, endings) : [command]
  // A relative folder on PATH means another place for every process: nothing is started from there.
  const folders = isPath(command) ? [''] : path.split(delimiter).filter((folder) => isAbsolute(folder))
  for (const folder of folders) {
    for (const name of names) {
      const candidate = folder === '' ? name : join(folder, name)
      if (isExecutable(candidate)) return candidate
    }
  }
  return undefined
}

/** A command with a folder in it is a place; others are names to be looked for. */
export function isPath(command: string): boolean {
  return /[/\\]/.test(command)
}

/** The bare name comes last: beside npx.cmd lies an `npx` for other systems, which Windows cannot start. */
function withEndings(command: string, endings: string | undefined): readonly string[] {
  const known = (endings || '.COM;.EXE;.BAT;.CMD').split(';').filter(Boolean)
  const has = known.some((ending) => command.toLowerCase().endsWith(ending.toLowerCase()))
  return has ? [command] : [...known.map((ending) => command + ending.toLowerCase()), command]
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}
