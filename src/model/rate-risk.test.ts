import { describe, expect, it } from 'vitest'
import { rateRisk } from './rate-risk.js'
import type { Risk } from './risk.js'
import type { ToolAnnotations } from './tool.js'

function risk(id: string, annotations?: ToolAnnotations, isTrusted = true): Risk {
  const [server = '', name = ''] = id.split(':')
  const definition = { name, inputSchema: {}, ...(annotations && { annotations }) }
  return rateRisk({ server, name, definition }, { isTrusted }).risk
}

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
    const tool = { server: 'a', name: 'delete_all', definition: { name: 'delete_all', inputSchema: {} } }
    expect(rateRisk(tool, { isTrusted: true }).why).toContain('"delete"')
  })
})
