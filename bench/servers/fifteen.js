// The fifteen servers: which package, how it is started with credentials that open nothing, and one harmless call of each
// that stays on this machine. Where there is none, `needs` says what it would take.
import { join } from 'node:path'

const nowhere = '127.0.0.1:9'
const official = (name) => `@modelcontextprotocol/server-${name}`

/** `folder` is a folder of this run, `redisUrl` the address of the stand-in for a Redis, `browser` a Chromium or undefined. */
export function fifteenServers({ folder, redisUrl, browser }) {
  return [
    {
      name: 'everything',
      package: official('everything'),
      version: '2026.8.31',
      call: { tool: 'echo', arguments: { message: 'hello' }, says: 'hello' },
    },
    {
      name: 'filesystem',
      package: official('filesystem'),
      version: '2026.8.31',
      args: [folder],
      call: { tool: 'list_directory', arguments: { path: folder }, says: 'note.txt' },
    },
    {
      name: 'memory',
      package: official('memory'),
      version: '2026.8.31',
      env: { MEMORY_FILE_PATH: join(folder, 'memory.json') },
      call: { tool: 'read_graph', arguments: {}, says: 'entities' },
    },
    {
      name: 'sequential-thinking',
      package: official('sequential-thinking'),
      version: '2026.8.31',
      call: {
        tool: 'sequentialthinking',
        arguments: {
          thought: 'Count the servers.',
          nextThoughtNeeded: false,
          thoughtNumber: 1,
          totalThoughts: 1,
        },
        says: 'thoughtNumber',
      },
    },
    {
      name: 'github',
      package: official('github'),
      version: '2025.4.8',
      env: { GITHUB_PERSONAL_ACCESS_TOKEN: 'dummy' },
      needs: 'GitHub',
    },
    {
      name: 'playwright',
      package: '@playwright/mcp',
      version: '0.0.83',
      args: ['--headless', '--isolated', ...(browser ? ['--executable-path', browser, '--no-sandbox'] : [])],
      env: { TMPDIR: folder },
      ...(browser
        ? {
            call: {
              tool: 'browser_navigate',
              arguments: { url: 'data:text/html,<h1>Hi</h1>' },
              says: 'Page URL',
            },
          }
        : { needs: 'a browser' }),
    },
    {
      name: 'mongodb',
      package: 'mongodb-mcp-server',
      version: '3.0.4',
      env: { MDB_MCP_CONNECTION_STRING: `mongodb://${nowhere}/dummy`, MDB_MCP_TELEMETRY: 'disabled' },
      call: { tool: 'list-connections', arguments: {}, says: 'preconfigured' },
    },
    {
      name: 'postgres',
      package: official('postgres'),
      version: '0.6.2',
      args: [`postgresql://dummy:dummy@${nowhere}/dummy`],
      call: { tool: 'query', arguments: { sql: 'SELECT 1' }, fails: 'ECONNREFUSED' },
    },
    {
      name: 'redis',
      package: official('redis'),
      version: '2025.4.25',
      args: [redisUrl],
      // It speaks no MCP until a Redis has answered it: the bench also starts it without one, and says what then happens.
      argsAlone: [`redis://${nowhere}`],
      call: { tool: 'list', arguments: {}, says: 'No keys found' },
    },
    {
      name: 'slack',
      package: official('slack'),
      version: '2025.4.25',
      env: { SLACK_BOT_TOKEN: 'xoxb-dummy', SLACK_TEAM_ID: 'T00000000' },
      needs: 'Slack',
    },
    {
      name: 'google-maps',
      package: official('google-maps'),
      version: '0.6.2',
      env: { GOOGLE_MAPS_API_KEY: 'dummy' },
      needs: 'Google Maps',
    },
    {
      name: 'brave-search',
      package: official('brave-search'),
      version: '0.6.2',
      env: { BRAVE_API_KEY: 'dummy' },
      needs: 'Brave Search',
    },
    {
      name: 'everart',
      package: official('everart'),
      version: '0.6.2',
      env: { EVERART_API_KEY: 'dummy' },
      needs: 'EverArt',
    },
    {
      name: 'notion',
      package: '@notionhq/notion-mcp-server',
      version: '2.5.2',
      env: { NOTION_TOKEN: 'ntn_dummy' },
      needs: 'Notion',
    },
    { name: 'context7', package: '@upstash/context7-mcp', version: '4.1.1', needs: 'Context7' },
  ]
}
