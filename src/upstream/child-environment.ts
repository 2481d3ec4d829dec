/**
 * The environment of a child server: what any program needs to find its way, and what was configured for this server.
 * Nothing else of ours reaches it: our tokens, proxies and npm settings are not its business.
 */
const needed = new Set(['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'TERM', 'TMPDIR'])

/** Without these Windows programs do not start. */
const neededOnWindows = new Set([
  'APPDATA',
  'COMSPEC',
  'HOMEDRIVE',
  'HOMEPATH',
  'LOCALAPPDATA',
  'PATHEXT',
  'PROCESSOR_ARCHITECTURE',
  'PROGRAMDATA',
  'PROGRAMFILES',
  'PROGRAMFILES(X86)',
  'PROGRAMW6432',
  'SYSTEMDRIVE',
  'SYSTEMROOT',
  'TEMP',
  'TMP',
  'USERNAME',
  'USERPROFILE',
  'WINDIR',
])

export interface ChildEnvironmentOptions {
  readonly configured: Readonly<Record<string, string>>
  /** Ours, completed by what program-finder.ts has found out. */
  readonly path: string
  readonly platform: NodeJS.Platform
}

export function childEnvironment(
  ours: NodeJS.ProcessEnv,
  { configured, path, platform }: ChildEnvironmentOptions,
): Record<string, string> {
  const env: Record<string, string> = {}
  for (const [name, value] of Object.entries(ours)) {
    if (value === undefined || !passes(name, platform)) continue
    // A shell function exported by bash: code, not a value.
    if (value.startsWith('()')) continue
    // `Path` and `PATH` are one variable on Windows, and only one may be there.
    if (name.toUpperCase() !== 'PATH') env[name] = value
  }
  return { ...env, PATH: path, ...configured }
}

function passes(name: string, platform: NodeJS.Platform): boolean {
  if (platform === 'win32') {
    const upper = name.toUpperCase()
    return needed.has(upper) || neededOnWindows.has(upper)
  }
  return needed.has(name) || name.startsWith('LC_')
}
