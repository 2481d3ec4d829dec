import { fileURLToPath } from 'node:url'
import { shellWord } from '../errors.js'

export interface ConnectFacts {
  /** Ends in a slash, as `pml up` prints it. */
  readonly url: string
  /** Clients with a window do not have the shell's PATH, so the program is named in full. */
  readonly node: string
  readonly program: string
  readonly config?: string
  /** The data directory, where it is not the one that clients find by themselves. */
  readonly home?: string
}

export function programPath(): string {
  return fileURLToPath(new URL('../../bin/pml.js', import.meta.url))
}

/** How to connect each common client, ready to be copied. */
export function connectHelp(facts: ConnectFacts): string {
  const mcp = `${facts.url}mcp`
  const args = [facts.program, 'serve', ...(facts.config === undefined ? [] : ['--config', facts.config])]
  const stdio = ['node', ...args].map(shellWord).join(' ')
  const { home } = facts
  const started = { command: facts.node, args, ...(home === undefined ? {} : { env: { PML_HOME: home } }) }
  const setHome = home === undefined ? undefined : shellWord(`PML_HOME=${home}`)
  return [
    section('Claude Code', [`claude mcp add --transport http pml ${mcp}`]),
    section('Claude Code, starting a gateway by itself', [
      `claude mcp add pml ${setHome === undefined ? '' : `--env ${setHome} `}-- ${stdio}`,
    ]),
    section('Claude Desktop: claude_desktop_config.json', [json({ mcpServers: { pml: started } })]),
    section('Cursor: ~/.cursor/mcp.json', [json({ mcpServers: { pml: { url: mcp } } })]),
    section('VS Code: .vscode/mcp.json', [json({ servers: { pml: { type: 'http', url: mcp } } })]),
    section('Codex: ~/.codex/config.toml', [
      '[mcp_servers.pml]',
      `command = ${JSON.stringify(facts.node)}`,
      `args = ${JSON.stringify(args)}`,
      ...(home === undefined ? [] : [`env = { PML_HOME = ${JSON.stringify(home)} }`]),
    ]),
    section('Any other client over standard input and output', [
      home === undefined ? stdio : `PML_HOME=${shellWord(home)} ${stdio}`,
    ]),
  ].join('\n\n')
}

function section(title: string, lines: readonly string[]): string {
  return [`${title}`, ...lines.map((line) => `  ${line}`)].join('\n')
}

function json(value: unknown): string {
  return JSON.stringify(value)
}
