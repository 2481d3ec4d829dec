import { expect, it } from 'vitest'
import { connectHelp, programPath } from './connect-help.js'

it('gives every client its exact snippet, with real paths', () => {
  const help = connectHelp({
    url: 'http://127.0.0.1:3939/',
    node: '/usr/bin/node',
    program: '/opt/casys pml/bin/pml.js',
    config: '/team/pml.config.yaml',
  })
  expect(help).toMatchInlineSnapshot(`
    "Claude Code
      claude mcp add --transport http pml http://127.0.0.1:3939/mcp

    Claude Code, starting a gateway by itself
      claude mcp add pml -- node '/opt/casys pml/bin/pml.js' serve --config /team/pml.config.yaml

    Claude Desktop: claude_desktop_config.json
      {"mcpServers":{"pml":{"command":"/usr/bin/node","args":["/opt/casys pml/bin/pml.js","serve","--config","/team/pml.config.yaml"]}}}

    Cursor: ~/.cursor/mcp.json
      {"mcpServers":{"pml":{"url":"http://127.0.0.1:3939/mcp"}}}

    VS Code: .vscode/mcp.json
      {"servers":{"pml":{"type":"http","url":"http://127.0.0.1:3939/mcp"}}}

    Codex: ~/.codex/config.toml
      [mcp_servers.pml]
      command = "/usr/bin/node"
      args = ["/opt/casys pml/bin/pml.js","serve","--config","/team/pml.config.yaml"]

    Any other client over standard input and output
      node '/opt/casys pml/bin/pml.js' serve --config /team/pml.config.yaml"
  `)
})

it('names the data directory where clients do not find it by themselves', () => {
  const help = connectHelp({
    url: 'http://127.0.0.1:1/',
    node: '/usr/bin/node',
    program: '/opt/pml.js',
    home: '/my data/pml',
  })
  expect(help).toContain("claude mcp add pml --env 'PML_HOME=/my data/pml' -- node /opt/pml.js serve")
  expect(help).toContain('"args":["/opt/pml.js","serve"],"env":{"PML_HOME":"/my data/pml"}')
  expect(help).toContain('env = { PML_HOME = "/my data/pml" }')
  expect(help).toContain("  PML_HOME='/my data/pml' node /opt/pml.js serve")
})

it('names no configuration where clients find it by themselves', () => {
  const help = connectHelp({
    url: 'http://127.0.0.1:1/',
    node: 'C:\\node.exe',
    program: 'C:\\pml\\bin\\pml.js',
  })
  expect(help).not.toContain('--config')
  expect(help).toContain('command = "C:\\\\node.exe"')
})

it('the program is this package’s', () => {
  expect(programPath()).toMatch(/[/\\]bin[/\\]pml\.js$/)
})
