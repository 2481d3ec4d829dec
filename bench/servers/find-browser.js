import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

/** A Chromium of this machine: CHROME_PATH, or one on the PATH. */
export function findBrowser(env) {
  if (env.CHROME_PATH) return env.CHROME_PATH
  const folders = (env.PATH ?? '').split(delimiter)
  return folders.flatMap((folder) => names.map((name) => join(folder, name))).find((path) => existsSync(path))
}
