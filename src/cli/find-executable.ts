import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'

/** Where a command would be started from, as the operating system looks for it; undefined when it is nowhere. */
export function findExecutable(
  command: string,
  env: NodeJS.ProcessEnv,
  platform: NodeJS.Platform = process.platform,
): string | undefined {
  const endings = platform === 'win32' ? ['', ...(env.PATHEXT ?? '.EXE;.CMD;.BAT').split(';')] : ['']
  const folders =
    isAbsolute(command) || command.includes('/')
      ? ['']
      : (env.PATH ?? env.Path ?? '').split(delimiter).filter(Boolean)
  for (const folder of folders) {
    for (const ending of endings) {
      const candidate = folder === '' ? command + ending : join(folder, command + ending)
      if (isExecutable(candidate)) return candidate
    }
  }
  return undefined
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}
