import { describe, expect, it } from 'vitest'
import { readDescription } from './read-description.js'

describe('what a text leads with', () => {
  it.each([
    ...['List files', 'Lists files.', 'Retrieves a page', 'Queries the logs', 'Fetches it', 'Look up a word'],
    ...[
      'This tool returns the weather.',
      'A tool that searches the web',
      'Use this tool to find files',
      'Allows you to view it',
    ],
    ...[
      '[Beta] Get a thing',
      'Quickly search files',
      'Storage: List accounts',
      'Scan a host for problems',
      'Verify that it is up',
    ],
    ...[
      'Get details (name, order, post count) of users',
      'Gets the latest updates',
      'List orders and messages',
    ],
    ...['Get the rights needed to delete a file', 'Reads without changing or deleting anything'],
    ...['List files that were deleted', 'Find users who can be invited'],
  ])('reads: %s', (text) => {
    expect(readDescription(text).deed).toBe('reads')
  })

  it.each([
    ...[
      'Create a file',
      'Uploads a file',
      'This tool updates a record',
      'Use this to set a value',
      'Posts a comment',
    ],
    ...[
      'Get or create a user',
      'Reads it and writes it back',
      'Lists x. It also updates the counter.',
      'Gets x, then stores it',
    ],
    ...[
      'Lists x and marks it as seen',
      'Get x. Creates it if missing.',
      'Get x; it is created if missing',
      'Search and replace text',
    ],
    ...[
      'Show x. Can modify it too.',
      'Manage users',
      'Executes a search query',
      'Get a new token',
      'Check a checkbox',
      'Return some items of a delivered order',
      'List an item for sale',
      'Browse to a page',
      'Display a text on the screen',
      'Fetch the branches of a remote repository',
      'Check availability and book',
      'Diagnose and fix it',
      'Returns it after deleting the copy',
      'Lists jobs. Runs the first one.',
      'Get code and execute it',
      'Reads what is not hidden, and writes it back',
      'Actions: `list`, `create`',
      'Run a report',
    ],
  ])('changes something: %s', (text) => {
    expect(readDescription(text).deed).toBe('changes')
  })

  it.each([
    ...[
      'Delete a file',
      'Permanently removes it',
      'Sends a mail',
      'Create or delete a thing',
      'Deploys the app',
      'Cancel an order',
    ],
    ...['Archives it. The action is irreversible.', 'Gets it. This cannot be undone.', 'Get rid of it'],
  ])('harms: %s', (text) => {
    expect(readDescription(text).deed).toBe('harms')
  })

  it.each([
    'Execute a command',
    'Runs JavaScript code in the page',
    'Evaluates an expression',
  ])('runs what it is given: %s', (text) => {
    expect(readDescription(text).deed).toBe('runs')
  })

  it.each([
    '',
    ' ',
    '...',
    'Frobnicates. Get the result later.',
    'The weather',
    '获取文件',
    'Resolve it',
    '(',
    '`',
  ])('tells nothing: %s', (text) => {
    expect(readDescription(text).deed).toBeUndefined()
  })
})

it('a text too long to be looked through never reads, and takes no time', () => {
  const from = performance.now()
  expect(readDescription(`Get a thing. ${'It is fine. '.repeat(20_000)}Deletes it.`).deed).toBeUndefined()
  expect(readDescription(`Get ${'a '.repeat(100_000)}`).deed).toBeUndefined()
  for (const odd of ['(', '- ', 'a_', '`', '"', 'the tool ', '--a', '. ']) readDescription(odd.repeat(20_000))
  expect(performance.now() - from).toBeLessThan(2_000)
})
