import { fileURLToPath } from 'node:url'

export interface ConnectFacts {
  /** Ends in a slash, as `pml up` prints it. */
  readonly url: string
  /** Clients with a window do not have the shell's PATH, so the program is named in full. */
  readonly node: string
  readonly program: string
  readonly config?: string
}

export function programPath(): string {
  return fileURLToPath(new URL('../../bin/pml.js', import.meta.url))
}

/** How to connect each common client, ready to be copied. */
export function connectHelp(facts: ConnectFacts): string {
  const mcp = `${facts.url}mcp`
  const args = [facts.program, 'serve', ...(facts.config === undefined ? [] : ['--config', facts.config])]
  const stdio = ['node', ...args].map(shellWord).join(' ')
  const started = { command: facts.node, args }
  return [
    section('Claude Code', [`claude mcp add --transport http pml ${mcp}`]),
    section('Claude Code, starting a gateway by itself', [`claude mcp add pml -- ${stdio}`]),
    section('Claude Desktop: claude_desktop_config.json', [json({ mcpServers: { pml: started } })]),
    section('Cursor: ~/.cursor/mcp.json', [json({ mcpServers: { pml: { url: mcp } } })]),
    section('VS Code: .vscode/mcp.json', [json({ servers: { pml: { type: 'http', url: mcp } } })]),
    section('Codex: ~/.codex/config.toml', [
      '[mcp_servers.pml]',
      `command = ${JSON.stringify(facts.node)}`,
      `args = ${JSON.stringify(args)}`,
    ]),
    section('Any other client over standard input and output', [stdio]),
  ].join('\n\n')
}

function section(title: string, lines: readonly string[]): string {
  return [`${title}`, ...lines.map((line) => `  ${line}`)].join('\n')
}

function json(value: unknown): string {
  return JSON.stringify(value)
}

function shellWord(word: string): string {
  return /^[\w./:@%+=\\-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}
