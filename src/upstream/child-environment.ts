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

export function childEnvironment(
  ours: NodeJS.ProcessEnv,
  configured: Readonly<Record<string, string>>,
  platform: NodeJS.Platform,
): Record<string, string> {
  const env: Record<string, string> = {}
  for (const [name, value] of Object.entries(ours)) {
    if (value === undefined || !passes(name, platform)) continue
    // A shell function exported by bash: code, not a value.
    if (value.startsWith('()')) continue
    env[name] = value
  }
  return { ...env, ...configured }
}

function passes(name: string, platform: NodeJS.Platform): boolean {
  if (platform === 'win32') {
    const upper = name.toUpperCase()
    return needed.has(upper) || neededOnWindows.has(upper)
  }
  return needed.has(name) || name.startsWith('LC_')
}
