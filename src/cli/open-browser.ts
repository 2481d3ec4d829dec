import { spawn } from 'node:child_process'

/** Whether a browser opened here would be seen by the person who typed the command. */
export function hasBrowser(env: NodeJS.ProcessEnv, platform: NodeJS.Platform = process.platform): boolean {
  if (env.SSH_CONNECTION || env.SSH_TTY || env.CI) return false
  if (platform === 'darwin' || platform === 'win32') return true
  return Boolean(env.DISPLAY || env.WAYLAND_DISPLAY)
}

/** Tried, and no more: the address has been printed as well. No shell sees it. */
export function openBrowser(address: URL, platform: NodeJS.Platform = process.platform): void {
  const [command, ...args] = openers[platform] ?? ['xdg-open']
  const child = spawn(command!, [...args, address.href], { stdio: 'ignore', detached: true })
  child.on('error', () => {})
  child.unref()
}

const openers: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}
