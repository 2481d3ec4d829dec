import { programName } from '../model/launcher.js'

/** How to get a program that servers are often started by; the same words for trouble and for `pml doctor`. */
export function installHint(command: string): string {
  if (/\s/.test(command.trim())) {
    return `Write the program alone in command and the rest in args: ${JSON.stringify(command.trim().split(/\s+/))}.`
  }
  const known = installers[programName(command)]
  const full = `write the full path of ${command} in command`
  return known === undefined
    ? `Install ${command}, correct its name, or ${full}.`
    : `Install ${known}, or ${full}.`
}

const node = 'Node, which brings node, npm and npx (https://nodejs.org)'
const uv = 'uv, which brings uv and uvx (https://docs.astral.sh/uv/)'
const bun = 'Bun, which brings bun and bunx (https://bun.sh)'
const python = 'Python (https://www.python.org)'

const installers: Readonly<Record<string, string>> = {
  node,
  npm: node,
  npx: node,
  uv,
  uvx: uv,
  bun,
  bunx: bun,
  python,
  python3: python,
  pip: python,
  pipx: 'pipx (https://pipx.pypa.io)',
  pnpm: 'pnpm (https://pnpm.io)',
  pnpx: 'pnpm (https://pnpm.io)',
  yarn: 'Yarn (https://yarnpkg.com)',
  docker: 'Docker (https://docs.docker.com/get-docker/)',
  podman: 'Podman (https://podman.io)',
  deno: 'Deno (https://deno.com)',
  go: 'Go (https://go.dev)',
}
