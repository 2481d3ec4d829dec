import type { Place, System } from './client-format.js'
import { jsonFormat } from './json-format.js'
import { variable } from './split-text.js'
import { inHome, inProject, pathsOf } from './system-places.js'

/** `~/.claude.json` holds the user's servers and those of every project; `.mcp.json` is what a project shares. */
export const claudeCode = jsonFormat({
  name: 'claude-code',
  title: 'Claude Code',
  places(system) {
    const users = userFile(system)
    return [
      ...users.map((file) => ({ file, section: ['mcpServers'] })),
      ...users.flatMap((file) => projectKeys(system).map((key) => inUserFile(file, key, system))),
      { file: inProject(system, '.mcp.json'), section: ['mcpServers'], project: system.cwd },
    ]
  },
  readReference,
  toEntry: ({ command, args, env }) => ({ type: 'stdio', command, args, env }),
})

function userFile(system: System): readonly string[] {
  const { CLAUDE_CONFIG_DIR } = system.env
  return CLAUDE_CONFIG_DIR
    ? [pathsOf(system).join(CLAUDE_CONFIG_DIR, '.claude.json')]
    : inHome(system, '.claude.json')
}

/** On Windows a project is written either way round. */
export function projectKeys({ platform, cwd }: System): readonly string[] {
  return platform === 'win32' ? [...new Set([cwd, cwd.replaceAll('\\', '/')])] : [cwd]
}

function inUserFile(file: string, key: string, { cwd }: System): Place {
  return { file, section: ['projects', key, 'mcpServers'], project: cwd }
}

/** `${NAME}` and `${NAME:-default}`. */
function readReference(raw: string, inside: string) {
  const [, name, fallback] = /^([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?$/s.exec(inside) ?? []
  return name === undefined ? undefined : variable(raw, name, fallback)
}
