import { describe, expect, it } from 'vitest'
import { noPermissions, type Permissions } from './permissions.js'
import { type RatedTool, type RiskContext, rateRisk } from './rate-risk.js'
import type { Risk } from './risk.js'
import type { RiskSource } from './risk-source.js'
import type { ToolAnnotations, ToolDefinition, ToolId } from './tool.js'

function rate(
  id: string,
  extra: Partial<ToolDefinition> = {},
  context: Partial<RiskContext> = {},
): RatedTool {
  const [server = '', name = ''] = id.split(':')
  const definition = { name, inputSchema: {}, ...extra }
  return rateRisk(
    { server, name, definition },
    { isTrusted: true, override: undefined, permissions: noPermissions, ...context },
  )
}

function risk(id: string, annotations?: ToolAnnotations, isTrusted = true): Risk {
  return rate(id, annotations && { annotations }, { isTrusted }).risk
}

describe('who says more comes first', () => {
  const override = { tool: 'a:get_x' as ToolId, risk: 'moderate', reason: 'It logs.', setAt: 1 } as const
  const all: Permissions = {
    servers: { a: { isReadOnly: true, permissionSet: 'trusted' } },
    toolOverrides: { 'a:get_x': { risk: 'dangerous', reason: 'It bills.' } },
  }
  const noTool: Permissions = { ...all, toolOverrides: {} }
  const setOnly = (permissionSet: 'minimal' | 'readonly' | 'network-api' | 'trusted'): Permissions => ({
    servers: { a: { permissionSet } },
    toolOverrides: {},
  })
  const annotations = { destructiveHint: true }

  it.each<[RiskSource, Risk, RatedTool]>([
    ['override', 'moderate', rate('a:get_x', { annotations }, { override, permissions: all })],
    ['permissions', 'dangerous', rate('a:get_x', { annotations }, { permissions: all })],
    ['read-only server', 'safe', rate('a:get_x', { annotations }, { permissions: noTool })],
    ['annotations', 'dangerous', rate('a:get_x', { annotations }, { permissions: setOnly('minimal') })],
    ['name', 'safe', rate('a:get_x', { description: 'X.' }, { permissions: setOnly('trusted') })],
    [
      'description',
      'dangerous',
      rate('a:x', { description: 'Deletes x.' }, { permissions: setOnly('minimal') }),
    ],
    ['permission set', 'dangerous', rate('a:x', {}, { permissions: setOnly('trusted') })],
    ['permission set', 'safe', rate('a:x', {}, { permissions: setOnly('minimal') })],
    ['permission set', 'safe', rate('a:x', {}, { permissions: setOnly('readonly') })],
    ['permission set', 'moderate', rate('a:x', {}, { permissions: setOnly('network-api') })],
    ['unknown', 'moderate', rate('a:x')],
  ])('%s: %s', (source, expected, rated) => {
    expect(rated).toMatchObject({ source, risk: expected })
  })

  it('what a person gave as the reason is said', () => {
    expect(rate('a:get_x', {}, { override }).why).toContain('It logs.')
    expect(rate('a:get_x', {}, { permissions: all }).why).toContain('It bills.')
  })

  it('what a person says of a runner holds for every call, whatever its statement', () => {
    const safe = { ...override, risk: 'safe' } as const
    expect(rate('db:run_query', {}, { override: safe })).toMatchObject({ risk: 'safe' })
    expect(rate('db:run_query', {}, { override: safe }).byStatement).toBeUndefined()
  })

  it('a set that reads does not make safe what is said not to', () => {
    const annotations = { readOnlyHint: false }
    expect(rate('a:x', { annotations }, { permissions: setOnly('readonly') }).risk).toBe('moderate')
  })

  it('names of the language are no entries of the file', () => {
    expect(rate('constructor:toString').source).toBe('unknown')
  })
})

describe('what a server says of its tool', () => {
  it.each<[Risk, ToolAnnotations, boolean]>([
    ['dangerous', { destructiveHint: true }, true],
    ['dangerous', { destructiveHint: true }, false],
    ['dangerous', { destructiveHint: true, readOnlyHint: true }, true],
    ['safe', { readOnlyHint: true }, true],
    ['moderate', { readOnlyHint: true }, false],
    ['moderate', { destructiveHint: false }, true],
    ['moderate', { idempotentHint: true }, true],
  ])('%s for %j, trusted: %s', (expected, annotations, isTrusted) => {
    expect(risk('a:frobnicate', annotations, isTrusted)).toBe(expected)
  })

  it('of one that is not trusted raises, and lowers nothing', () => {
    expect(risk('a:get_file', { destructiveHint: true }, false)).toBe('dangerous')
    expect(risk('a:delete_file', { readOnlyHint: true }, false)).toBe('dangerous')
    expect(risk('a:get_file', { readOnlyHint: true }, false)).toBe('moderate')
    expect(risk('a:get_file', undefined, false)).toBe('moderate')
  })

  it('not only reading outweighs a name that reads', () => {
    expect(risk('a:get_file', { readOnlyHint: false })).toBe('moderate')
  })
})

describe('the words of a name', () => {
  it.each([
    ...['files:delete_file', 'files:deleteFile', 'files:delete-file', 'files:DeleteFile', 'db:drop_table'],
    ...['git:git_push', 'git:git_reset', 'cloud:deploy', 'shop:pay', 'shop:create_order', 'mail:send_email'],
    ...[
      'mail:reply',
      'slack:post_message',
      'gh:create_release',
      'gh:merge_pull_request',
      'mail:get_and_send',
    ],
    ...['mail:send_draft', 'disks:format_disk', 'x:list_and_post', 'os:kill_process', 'gh:cancel_run'],
  ])('what cannot be undone is dangerous: %s', (id) => {
    expect(risk(id)).toBe('dangerous')
  })

  it.each([
    ...['os:execute_command', 'os:exec', 'browser:browser_evaluate', 'shell:run', 'a:run', 'python:run_file'],
    ...['a:run_script', 'db:run_query', 'db:execute_sql', 'a:bash', 'a:runInTerminal', 'a:eval', 'a:query'],
    ...[
      'a:python',
      'a:python_repl',
      'a:python_repl_tool',
      'a:code_interpreter',
      'a:repl',
      'a:node',
      'a:python3',
    ],
    ...['a:ssh', 'a:ssh_command', 'a:kubectl', 'a:kubectl_apply', 'a:command', 'a:cmd', 'a:browser_console'],
    ...['a:terraform_apply', 'a:helm_upgrade', 'a:ansible_playbook', 'a:docker_run', 'a:code_execution'],
    ...[
      'a:aws_cli',
      'a:javascript_tool',
      'a:nodejs',
      'a:list_and_command',
      'a:sql',
      'a:graphql',
      'a:write_query',
    ],
  ])('what runs what it is given is dangerous: %s', (id) => {
    expect(risk(id)).toBe('dangerous')
  })

  it.each([
    ...['files:write_file', 'gh:create_issue', 'gh:create_merge_request', 'mail:draft_email', 'a:run_report'],
    ...['files:read_or_create', 'a:toggle_status', 'mail:mark_as_read', 'a:frobnicate', 'a:文件'],
    ...[
      'ui:create_node',
      'ui:update_node',
      'pw:browser_console_messages',
      'a:python_packages',
      'a:add_ssh_key',
    ],
    ...[
      'tf:terraform_plan',
      'k:kubectl_logs',
      'a:create_command',
      'a:generate_python_code',
      'docs:query_docs',
    ],
    ...['a:format_date', 'a:', 'git:git_checkout', 'lib:check_out', 'a:deletefile', 'os:start_server'],
  ])('what changes something, or tells nothing, is moderate: %s', (id) => {
    expect(risk(id)).toBe('moderate')
  })

  it.each([
    ...[
      'files:read_file',
      'files:list_directory',
      'gh:search_code',
      'gh:get_order',
      'mail:list_message_threads',
    ],
    ...['git:git_status', 'a:getSettings', 'x:read_thread', 'a:find_email', 'vs:get_terminal_output'],
    ...[
      'a:get_command_history',
      'a:list_python_packages',
      'a:list_console_messages',
      'a:get_node',
      'a:list_ssh_keys',
    ],
    ...['gh:search_query_logs', 'kubectl:kubectl_get', 'terraform:get_provider_docs'],
  ])('what reads is safe where nothing says otherwise: %s', (id) => {
    expect(risk(id)).toBe('safe')
  })

  it('say why, for a person', () => {
    expect(rate('a:delete_all').why).toContain('"delete"')
  })
})

describe('the verbs of a description', () => {
  const rated = (id: string, description: string) => rate(id, { description }).risk

  it.each([
    ['storage_blob', 'List blobs in a container'],
    ['limits', 'This tool returns the limits of a region.'],
    ['deploy_logs_get', 'Get the log of a deployment'],
    ['blob_import_get', 'Get details of import jobs'],
    ['get_test_run', 'Get one test run'],
    ['sql_server_list', 'List all SQL servers'],
    ['metrics_query', 'Query metrics of a resource'],
    ['cli_generate', 'Generate a command for what the user wants'],
    ['zins_get_traffic', 'Provides traffic analytics by location.'],
    ['show_rule', 'Shows a rule'],
    ['API-get-self', 'Notion | Retrieve the user of the token'],
  ])('%s, "%s": reads, where the name has nothing against it', (name, description) => {
    expect(rated(`a:${name}`, description)).toBe('safe')
  })

  it.each([
    ['get_page', 'Get a page and save it to disk'],
    ['list_messages', 'Lists messages. Marks them as read.'],
    ['fetch_job', 'Fetches the next job, removing it from the queue'],
    ['sync_x', 'Updates x'],
    ['get_token', 'Returns a token. The old one will be invalidated.'],
    ['find_user', 'Find or create a user'],
    ['cli_install', 'Get instructions'],
    ['get_settings', 'Gets settings; it also creates a default entry'],
    ['show_toast', 'Show a toast'],
    ['session', 'Get a new session'],
    ['checkout', 'Check out a branch'],
  ])('%s, "%s": changes something, however harmless the name', (name, description) => {
    expect(rated(`a:${name}`, description)).toBe('moderate')
  })

  it.each([
    ['cleanup', 'Deletes everything that is old'],
    ['get_rid', 'Get rid of a user'],
    ['records', 'Create, update or delete records'],
    ['set_x', 'Delete x'],
    ['get_it', 'Takes it. This cannot be undone.'],
    ['helper', 'Execute a shell command'],
    ['database_query', 'Execute a query on a database'],
    ['query_items', 'Query items with SQL'],
    ['deploy_get', 'Deploy and get the result'],
    ['notify', 'Get notified'],
  ])('%s, "%s": may harm', (name, description) => {
    expect(rated(`a:${name}`, description)).toBe('dangerous')
  })

  it('a query that reads by its description is still looked at call by call', () => {
    expect(rate('a:metrics_query', { description: 'Query metrics' }).byStatement?.isCertain).toBe(false)
  })

  it('of a server that is not trusted, or that says otherwise, make nothing safe', () => {
    const description = 'Lists files'
    expect(rate('a:x', { description }, { isTrusted: false })).toMatchObject({ risk: 'moderate' })
    expect(rate('a:x', { description, annotations: { readOnlyHint: false } })).toMatchObject({
      risk: 'moderate',
    })
  })
})
