import { readdirSync, statSync } from 'node:fs'
import { posix, win32 } from 'node:path'

/** Where installers put programs without telling a client with a window; only folders that are there. */
export function knownPlaces(
  env: NodeJS.ProcessEnv,
  home: string,
  platform: NodeJS.Platform,
): readonly string[] {
  const places = platform === 'win32' ? windowsPlaces(env, home) : unixPlaces(env, home)
  return [...new Set(places)].filter(isFolder)
}

function unixPlaces(env: NodeJS.ProcessEnv, home: string): readonly string[] {
  const below = (...steps: readonly string[]): string => posix.join(home, ...steps)
  const data = env.XDG_DATA_HOME || below('.local/share')
  return [
    below('.local/bin'),
    '/opt/homebrew/bin',
    '/usr/local/bin',
    below('.volta/bin'),
    below('.asdf/shims'),
    posix.join(data, 'mise/shims'),
    posix.join(data, 'fnm/aliases/default/bin'),
    below('Library/Application Support/fnm/aliases/default/bin'),
    ...newestNode(env.NVM_DIR || below('.nvm')),
    below('.cargo/bin'),
    below('.bun/bin'),
    below('.deno/bin'),
    below('.pyenv/shims'),
    posix.join(data, 'pnpm'),
    below('Library/pnpm'),
    below('.docker/bin'),
    below('.orbstack/bin'),
    below('.rd/bin'),
    '/Applications/Docker.app/Contents/Resources/bin',
    '/home/linuxbrew/.linuxbrew/bin',
    '/snap/bin',
  ]
}

function windowsPlaces(env: NodeJS.ProcessEnv, home: string): readonly string[] {
  const below = (folder: string | undefined, ...steps: readonly string[]): readonly string[] =>
    folder ? [win32.join(folder, ...steps)] : []
  return [
    ...below(env.APPDATA, 'npm'),
    ...below(env.NVM_SYMLINK),
    ...below(env.ProgramFiles, 'nodejs'),
    ...below(home, '.local', 'bin'),
    ...below(env.LOCALAPPDATA, 'Volta', 'bin'),
    ...below(env.LOCALAPPDATA, 'mise', 'shims'),
    ...below(home, 'scoop', 'shims'),
    ...below(home, '.cargo', 'bin'),
    ...below(home, '.bun', 'bin'),
    ...below(home, '.deno', 'bin'),
    ...below(env.ProgramFiles, 'Docker', 'Docker', 'resources', 'bin'),
  ]
}

/** nvm has one folder per version and only its shell function chooses: the newest is the best guess. */
function newestNode(nvm: string): readonly string[] {
  const versions = posix.join(nvm, 'versions/node')
  const newest = readFolder(versions)
    .filter((name) => /^v\d+\.\d+\.\d+$/.test(name))
    .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
    .at(-1)
  return newest === undefined ? [] : [posix.join(versions, newest, 'bin')]
}

function readFolder(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}
