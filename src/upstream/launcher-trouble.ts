import { launcherOf, programName } from '../model/launcher.js'
import type { StdioServerConfig, Trouble } from '../model/server.js'

interface Pattern {
  readonly programs: RegExp
  readonly said: RegExp
  readonly kind: 'exit' | 'offline'
  message(program: string, target: string): string
  hint(program: string, target: string): string
}

/** What a launcher says when it, and not the server, is in trouble; undefined when it says nothing of the kind. */
export function launcherTrouble(server: StdioServerConfig, stderr: string): Omit<Trouble, 'at'> | undefined {
  const program = programName(server.command)
  const found = patterns.find(({ programs, said }) => programs.test(program) && said.test(stderr))
  if (found === undefined) return undefined
  const target = launcherOf(server.command, server.args)?.target ?? 'what it is to start'
  return { kind: found.kind, message: found.message(program, target), hint: found.hint(program, target) }
}

const npm = /^(?:npx|npm|pnpm|pnpx|yarn|bunx|bun)$/
const uv = /^(?:uvx|uv|pipx)$/
const docker = /^(?:docker|podman)$/

const noPackage = (program: string, target: string): string =>
  `${program} cannot find ${target}: there is no such package, or no such version of it.`
const checkName = (_: string, target: string): string => `Correct the name ${target} in args.`

/** The words of npm 10 and 11, pnpm 9, Bun 1, uv 0.5 and later, and Docker 20 and later. */
const patterns: readonly Pattern[] = [
  {
    programs: npm,
    said: /\bE404\b|\b404 Not Found\b|ERR_PNPM_FETCH_404|\b404\b.*registry|registry.*\b404$|\bETARGET\b|No matching version found/im,
    kind: 'exit',
    message: noPackage,
    hint: checkName,
  },
  {
    programs: npm,
    said: /could not determine executable to run|no executable|ERR_PNPM_DLX_NO_BIN/i,
    kind: 'exit',
    message: (program, target) => `${program} found ${target}, but it has no program to start.`,
    hint: (_, target) => `Check that ${target} is an MCP server, and how its page says to start it.`,
  },
  {
    programs: npm,
    said: /\b(?:E401|E403|ENEEDAUTH)\b/,
    kind: 'exit',
    message: (program, target) => `the npm registry lets ${program} have ${target} only after a sign-in.`,
    hint: () => 'Run: npm login',
  },
  {
    programs: npm,
    said: /\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ERR_SOCKET_TIMEOUT)\b|ConnectionRefused|FailedToOpenSocket/,
    kind: 'offline',
    message: (program) => `${program} cannot reach the npm registry.`,
    hint: () => 'Check the network and, behind a proxy, "npm config get proxy"; it is tried again.',
  },
  {
    programs: uv,
    said: /was not found in the package registry|no matching distribution|not found in the provided package locations|No solution found/i,
    kind: 'exit',
    message: noPackage,
    hint: checkName,
  },
  {
    programs: uv,
    said: /dns error|error sending request|Failed to fetch|Could not connect|Connection refused|network is unreachable|Temporary failure in name resolution/i,
    kind: 'offline',
    message: (program) => `${program} cannot reach the package index.`,
    hint: () => 'Check the network, and HTTPS_PROXY in the env of the server; it is tried again.',
  },
  {
    programs: docker,
    said: /permission denied while trying to connect/i,
    kind: 'exit',
    message: (program) => `you may not use the daemon of ${program}.`,
    hint: () => 'Add yourself to its group and sign in anew: sudo usermod -aG docker $USER',
  },
  {
    programs: docker,
    said: /Cannot connect to the Docker daemon|docker daemon is not running|error during connect|Cannot connect to Podman|dockerDesktopLinuxEngine/i,
    kind: 'offline',
    message: (program) => `${program} is there, but its daemon is not running.`,
    hint: (program) =>
      program === 'podman'
        ? 'Run: podman machine start'
        : 'Start Docker Desktop, or run: sudo systemctl start docker',
  },
  {
    programs: docker,
    said: /pull access denied|manifest unknown|manifest for .* not found|repository does not exist|invalid reference format/i,
    kind: 'exit',
    message: (program, target) => `${program} cannot find the image ${target}.`,
    hint: checkName,
  },
  {
    programs: docker,
    said: /no such host|i\/o timeout|TLS handshake timeout|connection refused/i,
    kind: 'offline',
    message: (program) => `${program} cannot reach its registry.`,
    hint: () => 'Check the network; it is tried again.',
  },
]
