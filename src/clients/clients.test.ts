import { expect, it } from 'vitest'
import { allClients } from './all-clients.js'
import { claudeCode } from './claude-code.js'
import { claudeDesktop } from './claude-desktop.js'
import { type ClientFixture, clientContract, fixtureText, system } from './client-format.contract.js'
import type { System } from './client-format.js'
import { codex } from './codex.js'
import { cursor } from './cursor.js'
import { liftSecrets } from './lift-secrets.js'
import { vscode } from './vscode.js'
import { windsurf } from './windsurf.js'
import { zed } from './zed.js'

const project = system.cwd
const fixtures: readonly ClientFixture[] = [
  {
    client: claudeCode,
    file: 'claude-code.user.json.txt',
    place: { file: '/home/ada/.claude.json', section: ['mcpServers'] },
    taken: ['github', 'linear', 'brave'],
    left: ['ide'],
  },
  {
    client: claudeCode,
    file: 'claude-code.user.json.txt',
    place: {
      file: '/home/ada/.claude.json',
      section: ['projects', '/home/ada/shop', 'mcpServers'],
      project,
    },
    taken: ['shop-db'],
    left: [],
  },
  {
    client: claudeCode,
    file: 'claude-code.mcp.json.txt',
    place: { file: '/home/ada/shop/.mcp.json', section: ['mcpServers'], project },
    taken: ['api', 'fallback-key', 'build', 'unicode – 検索'],
    left: [],
  },
  {
    client: claudeDesktop,
    file: 'claude-desktop.json.txt',
    place: { file: '/home/ada/.config/Claude/claude_desktop_config.json', section: ['mcpServers'] },
    taken: ['filesystem', 'github', 'remote', 'notion'],
    left: ['half'],
  },
  {
    client: cursor,
    file: 'cursor.json.txt',
    place: { file: '/home/ada/.cursor/mcp.json', section: ['mcpServers'] },
    taken: ['context7', 'figma', 'zapier'],
    left: ['files', 'dotenv'],
  },
  {
    client: vscode,
    file: 'vscode.json.txt',
    place: { file: '/home/ada/shop/.vscode/mcp.json', section: ['servers'], project },
    taken: ['github', 'perplexity', 'playwright'],
    left: ['port', 'socket'],
  },
  {
    client: vscode,
    file: 'vscode.settings.json.txt',
    place: { file: '/home/ada/.config/Code/User/settings.json', section: ['mcp', 'servers'] },
    taken: ['fetch', 'sentry'],
    left: [],
  },
  {
    client: windsurf,
    file: 'windsurf.json.txt',
    place: { file: '/home/ada/.codeium/windsurf/mcp_config.json', section: ['mcpServers'] },
    taken: ['stripe', 'userjot', 'slack'],
    left: ['from-file'],
  },
  {
    client: zed,
    file: 'zed.json.txt',
    place: { file: '/home/ada/.config/zed/settings.json', section: ['context_servers'] },
    taken: ['postgres', 'local', 'you-com'],
    left: ['mcp-server-context7'],
  },
  {
    client: codex,
    file: 'codex.toml.txt',
    place: { file: '/home/ada/.codex/config.toml', section: ['mcp_servers'] },
    taken: ['context7', 'github', 'figma', 'my server'],
    left: ['odd'],
  },
]

for (const fixture of fixtures) clientContract(fixture)

it('every client has a fixture', () => {
  expect(new Set(fixtures.map(({ client }) => client))).toEqual(new Set(allClients))
})

/** One line per server: what is written in our configuration, secrets as <wanted name>. */
function inOurWords({ client, file, place }: ClientFixture): readonly string[] {
  return client.read(fixtureText(file), place, system).map((found) => {
    if (found.kind !== 'server') return `${found.name}: ${'reason' in found ? found.reason : 'PML'}`
    const { definition, secrets } = liftSecrets(found)
    const text = JSON.stringify(definition).replaceAll(
      /\\u0000(\d+)\\u0000/g,
      (_, index) => `<${secrets[index]!.wanted}>`,
    )
    return `${found.name}: ${text}${found.ignored.length > 0 ? ` without ${found.ignored}` : ''}`
  })
}

it('every server reads in our words as its client meant it, and every secret is lifted out', () => {
  expect(fixtures.map((fixture) => inOurWords(fixture).join('\n'))).toMatchInlineSnapshot(`
    [
      "github: {"url":"https://api.githubcopilot.com/mcp/","headers":{"Authorization":"Bearer <Authorization>"}}
    linear: {"url":"https://mcp.linear.app/sse","type":"sse"}
    ide: its transport is "ws-ide"
    brave: {"command":"npx","args":["-y","@modelcontextprotocol/server-brave-search"],"env":{"BRAVE_API_KEY":"<BRAVE_API_KEY>","LOG_LEVEL":"info"}}",
      "shop-db: {"command":"npx","args":["-y","@bytebase/dbhub","--dsn","<dsn>"]}",
      "api: {"url":"\${API_BASE_URL:-https://api.example.com}/mcp","headers":{"Authorization":"Bearer \${API_KEY}"}}
    fallback-key: {"command":"uvx","args":["search-mcp"],"env":{"SEARCH_API_KEY":"<SEARCH_API_KEY>"}}
    build: {"command":"/home/ada/shop/tools/mcp.sh","args":["--root","."],"cwd":"/home/ada/shop","timeout":120000}
    unicode – 検索: {"command":"node","args":["tools/検索.js"],"env":{"GREETING":"grüß dich ☺"},"cwd":"/home/ada/shop"}",
      "filesystem: {"command":"npx","args":["-y","@modelcontextprotocol/server-filesystem","/Users/ada/Desktop","/Users/ada/Téléchargements"]}
    github: {"command":"docker","args":["run","-i","--rm","-e","GITHUB_PERSONAL_ACCESS_TOKEN=<GITHUB_PERSONAL_ACCESS_TOKEN>","ghcr.io/github/github-mcp-server"]}
    remote: {"command":"npx","args":["mcp-remote","https://mcp.example.com/sse","--header","Authorization:$\${AUTH_HEADER}"],"env":{"AUTH_HEADER":"<AUTH_HEADER>"}}
    notion: {"command":"npx","args":["-y","@notionhq/notion-mcp-server"],"env":{"OPENAPI_MCP_HEADERS":"<OPENAPI_MCP_HEADERS>"}}
    half: it has neither a command nor an address",
      "context7: {"url":"https://mcp.context7.com/mcp","headers":{"CONTEXT7_API_KEY":"\${CONTEXT7_API_KEY}"}}
    figma: {"command":"npx","args":["-y","figma-developer-mcp","--figma-api-key=<figma-api-key>","--stdio"]}
    files: only the client can fill in \${workspaceFolder}
    dotenv: it takes its environment from an envFile
    zapier: {"url":"https://mcp.zapier.com/api/mcp/s/<URL_KEY>/mcp"}",
      "github: {"url":"https://api.githubcopilot.com/mcp/","headers":{"Authorization":"Bearer <github_token>"}}
    perplexity: {"command":"npx","args":["-y","server-perplexity-ask"],"env":{"PERPLEXITY_API_KEY":"<PERPLEXITY_API_KEY>"}}
    playwright: {"command":"npx","args":["@playwright/mcp@latest","--output-dir","/home/ada/shop/out"],"env":{"PROXY_TOKEN":"\${PROXY_TOKEN}","DEBUG":"pw:mcp"}} without gallery
    port: only the client can fill in \${config:my.port}
    socket: its address does not start with http:// or https://",
      "fetch: {"command":"uvx","args":["mcp-server-fetch"]}
    sentry: {"url":"https://mcp.sentry.dev/sse","type":"sse","headers":{"X-Api-Key":"<X-Api-Key>"}}",
      "stripe: {"url":"https://mcp.stripe.com?api_key=<api_key>&mode=test"} without disabledTools
    userjot: {"url":"https://api.userjot.com/v1/mcp","headers":{"Authorization":"Bearer \${USERJOT_API_TOKEN}"}}
    from-file: only the client can fill in \${file:~/.secrets/token}
    slack: {"command":"npx","args":["-y","@modelcontextprotocol/server-slack"],"env":{"SLACK_BOT_TOKEN":"<SLACK_BOT_TOKEN>","SLACK_TEAM_ID":"T0123456","PORT":"3000"}}",
      "postgres: {"command":"npx","args":["-y","@zeddotdev/postgres-context-server"],"env":{"DATABASE_URL":"<DATABASE_URL>"}}
    mcp-server-context7: an extension of Zed brings it
    local: {"command":"uvx","args":["mcp-server-git","--repository","/home/ada/shop"]}
    you-com: {"url":"https://api.you.com/mcp?profile=free","headers":{"Authorization":"Bearer <Authorization>"}}",
      "context7: {"command":"npx","args":["-y","@upstash/context7-mcp"],"connectTimeoutMs":20500}
    github: {"command":"docker","args":["run","-i","--rm","-e","GITHUB_PERSONAL_ACCESS_TOKEN","ghcr.io/github/github-mcp-server"],"env":{"GITHUB_PERSONAL_ACCESS_TOKEN":"<GITHUB_PERSONAL_ACCESS_TOKEN>","GITHUB_TOOLSETS":"repos,issues"},"disabled":true,"timeoutMs":90000}
    figma: {"url":"https://mcp.figma.com/mcp","headers":{"X-Figma-Region":"us-east-1","X-Api-Key":"<X-Api-Key>","X-Team":"\${FIGMA_TEAM}","Authorization":"Bearer \${FIGMA_OAUTH_TOKEN}"}}
    my server: {"command":"C:\\\\tools\\\\server.exe","env":{"LOCAL_TOKEN":"\${LOCAL_TOKEN}","LOG":"debug","SECRET_WORD":"<SECRET_WORD>"}} without disabled_tools
    odd: it has neither a command nor an address",
    ]
  `)
})

const everywhere = (platform: System['platform'], env: NodeJS.ProcessEnv, cwd: string): readonly string[] =>
  allClients.flatMap((client) => [
    ...new Set(client.places({ platform, env, cwd }).map(({ file }) => `${client.name}: ${file}`)),
  ])

it('knows the places of every client on Linux', () => {
  expect(everywhere('linux', { HOME: '/home/ada' }, '/home/ada/shop')).toMatchInlineSnapshot(`
    [
      "claude-code: /home/ada/.claude.json",
      "claude-code: /home/ada/shop/.mcp.json",
      "claude-desktop: /home/ada/.config/Claude/claude_desktop_config.json",
      "cursor: /home/ada/.cursor/mcp.json",
      "cursor: /home/ada/shop/.cursor/mcp.json",
      "vscode: /home/ada/.config/Code/User/mcp.json",
      "vscode: /home/ada/.config/Code/User/settings.json",
      "vscode: /home/ada/.config/Code - Insiders/User/mcp.json",
      "vscode: /home/ada/.config/Code - Insiders/User/settings.json",
      "vscode: /home/ada/.config/VSCodium/User/mcp.json",
      "vscode: /home/ada/.config/VSCodium/User/settings.json",
      "vscode: /home/ada/shop/.vscode/mcp.json",
      "vscode: /home/ada/shop/.vscode/settings.json",
      "windsurf: /home/ada/.codeium/windsurf/mcp_config.json",
      "windsurf: /home/ada/.codeium/windsurf-next/mcp_config.json",
      "zed: /home/ada/.config/zed/settings.json",
      "zed: /home/ada/.var/app/dev.zed.Zed/config/zed/settings.json",
      "zed: /home/ada/shop/.zed/settings.json",
      "codex: /home/ada/.codex/config.toml",
      "codex: /home/ada/shop/.codex/config.toml",
    ]
  `)
  const moved = everywhere(
    'linux',
    { HOME: '/home/ada', XDG_CONFIG_HOME: '/x', CODEX_HOME: '/c', CLAUDE_CONFIG_DIR: '/k' },
    '/p',
  )
  expect(moved).toContain('zed: /x/zed/settings.json')
  expect(moved).toContain('vscode: /x/Code/User/mcp.json')
  expect(moved).toContain('codex: /c/config.toml')
  expect(moved).toContain('claude-code: /k/.claude.json')
})

it('knows the places of every client on macOS', () => {
  expect(
    everywhere('darwin', { HOME: '/Users/ada', XDG_CONFIG_HOME: '/x' }, '/Users/ada/shop'),
  ).toMatchInlineSnapshot(`
    [
      "claude-code: /Users/ada/.claude.json",
      "claude-code: /Users/ada/shop/.mcp.json",
      "claude-desktop: /Users/ada/Library/Application Support/Claude/claude_desktop_config.json",
      "cursor: /Users/ada/.cursor/mcp.json",
      "cursor: /Users/ada/shop/.cursor/mcp.json",
      "vscode: /Users/ada/Library/Application Support/Code/User/mcp.json",
      "vscode: /Users/ada/Library/Application Support/Code/User/settings.json",
      "vscode: /Users/ada/Library/Application Support/Code - Insiders/User/mcp.json",
      "vscode: /Users/ada/Library/Application Support/Code - Insiders/User/settings.json",
      "vscode: /Users/ada/Library/Application Support/VSCodium/User/mcp.json",
      "vscode: /Users/ada/Library/Application Support/VSCodium/User/settings.json",
      "vscode: /Users/ada/shop/.vscode/mcp.json",
      "vscode: /Users/ada/shop/.vscode/settings.json",
      "windsurf: /Users/ada/.codeium/windsurf/mcp_config.json",
      "windsurf: /Users/ada/.codeium/windsurf-next/mcp_config.json",
      "zed: /Users/ada/.config/zed/settings.json",
      "zed: /Users/ada/shop/.zed/settings.json",
      "codex: /Users/ada/.codex/config.toml",
      "codex: /Users/ada/shop/.codex/config.toml",
    ]
  `)
})

it('knows the places of every client on Windows', () => {
  const env = {
    USERPROFILE: 'C:\\Users\\ada',
    APPDATA: 'C:\\Users\\ada\\AppData\\Roaming',
    LOCALAPPDATA: 'C:\\Users\\ada\\AppData\\Local',
  }
  expect(everywhere('win32', env, 'D:\\shop')).toMatchInlineSnapshot(`
    [
      "claude-code: C:\\Users\\ada\\.claude.json",
      "claude-code: D:\\shop\\.mcp.json",
      "claude-desktop: C:\\Users\\ada\\AppData\\Roaming\\Claude\\claude_desktop_config.json",
      "claude-desktop: C:\\Users\\ada\\AppData\\Local\\Packages\\Claude_pzs8sxrjxfjjc\\LocalCache\\Roaming\\Claude\\claude_desktop_config.json",
      "cursor: C:\\Users\\ada\\.cursor\\mcp.json",
      "cursor: D:\\shop\\.cursor\\mcp.json",
      "vscode: C:\\Users\\ada\\AppData\\Roaming\\Code\\User\\mcp.json",
      "vscode: C:\\Users\\ada\\AppData\\Roaming\\Code\\User\\settings.json",
      "vscode: C:\\Users\\ada\\AppData\\Roaming\\Code - Insiders\\User\\mcp.json",
      "vscode: C:\\Users\\ada\\AppData\\Roaming\\Code - Insiders\\User\\settings.json",
      "vscode: C:\\Users\\ada\\AppData\\Roaming\\VSCodium\\User\\mcp.json",
      "vscode: C:\\Users\\ada\\AppData\\Roaming\\VSCodium\\User\\settings.json",
      "vscode: D:\\shop\\.vscode\\mcp.json",
      "vscode: D:\\shop\\.vscode\\settings.json",
      "windsurf: C:\\Users\\ada\\.codeium\\windsurf\\mcp_config.json",
      "windsurf: C:\\Users\\ada\\.codeium\\windsurf-next\\mcp_config.json",
      "zed: C:\\Users\\ada\\AppData\\Roaming\\Zed\\settings.json",
      "zed: D:\\shop\\.zed\\settings.json",
      "codex: C:\\Users\\ada\\.codex\\config.toml",
      "codex: D:\\shop\\.codex\\config.toml",
    ]
  `)
  const [, ...keys] = claudeCode
    .places({ platform: 'win32', env, cwd: 'D:\\shop' })
    .map(({ section }) => section)
  expect(keys.slice(0, 2)).toEqual([
    ['projects', 'D:\\shop', 'mcpServers'],
    ['projects', 'D:/shop', 'mcpServers'],
  ])
})

it('without a home there is still the project', () => {
  const files = everywhere('linux', {}, '/p')
  expect(files.length).toBeGreaterThan(3)
  for (const file of files) expect(file).toMatch(/: \/p\//)
})
