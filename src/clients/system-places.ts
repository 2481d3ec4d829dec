import { posix, win32 } from 'node:path'
import type { System } from './client-format.js'

/** Paths as the platform writes them, whichever this one is. */
export function pathsOf({ platform }: Pick<System, 'platform'>): typeof posix {
  return platform === 'win32' ? win32 : posix
}

export function userHome({ env, platform }: System): string {
  return (platform === 'win32' ? env.USERPROFILE || env.HOME : env.HOME) || ''
}

/** A file beneath the user's home, or none where there is no home to speak of. */
export function inHome(system: System, ...steps: readonly string[]): readonly string[] {
  const home = userHome(system)
  return home === '' ? [] : [pathsOf(system).join(home, ...steps)]
}

/** A file where programs with a window keep their settings: AppData, Application Support or the XDG directory. */
export function inAppSettings(system: System, ...steps: readonly string[]): readonly string[] {
  if (system.platform === 'win32') {
    const { APPDATA } = system.env
    return APPDATA ? [win32.join(APPDATA, ...steps)] : inHome(system, 'AppData', 'Roaming', ...steps)
  }
  if (system.platform === 'darwin') return inHome(system, 'Library', 'Application Support', ...steps)
  return inXdgConfig(system, ...steps)
}

export function inXdgConfig(system: System, ...steps: readonly string[]): readonly string[] {
  const { XDG_CONFIG_HOME } = system.env
  // The XDG specification has relative values ignored.
  if (XDG_CONFIG_HOME && posix.isAbsolute(XDG_CONFIG_HOME)) return [posix.join(XDG_CONFIG_HOME, ...steps)]
  return inHome(system, '.config', ...steps)
}

export function inProject(system: System, ...steps: readonly string[]): string {
  return pathsOf(system).join(system.cwd, ...steps)
}
