import { homedir, tmpdir, userInfo } from 'node:os'
import { isAbsolute, posix, resolve, win32 } from 'node:path'

/** Where everything of ours is kept: `PML_HOME`, else the platform's place for a user's data. */
export function dataDirectory(env: NodeJS.ProcessEnv, platform: NodeJS.Platform = process.platform): string {
  if (env.PML_HOME) return resolve(env.PML_HOME)
  if (platform === 'win32') {
    return win32.join(env.LOCALAPPDATA || win32.join(userHome(env), 'AppData', 'Local'), 'pml')
  }
  if (platform === 'darwin') return posix.join(userHome(env), 'Library', 'Application Support', 'pml')
  // The XDG specification has relative values ignored.
  if (env.XDG_DATA_HOME && isAbsolute(env.XDG_DATA_HOME)) return posix.join(env.XDG_DATA_HOME, 'pml')
  return posix.join(userHome(env), '.local', 'share', 'pml')
}

/** Containers and CI jobs run with HOME empty or unset; the account knows its home, or there is none but /tmp. */
function userHome(env: NodeJS.ProcessEnv): string {
  const named = env.HOME || env.USERPROFILE
  if (named) return named
  try {
    return userInfo().homedir || homedir() || tmpdir()
  } catch {
    return tmpdir()
  }
}
