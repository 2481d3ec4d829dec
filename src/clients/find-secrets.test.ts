import { expect, it } from 'vitest'
import { findSecrets, type Position } from './find-secrets.js'

const env = (key: string): Position => ({ kind: 'env', key })
const header = (key: string): Position => ({ kind: 'header', key })
const argument: Position = { kind: 'argument' }

function found(text: string, position: Position): readonly string[] {
  return findSecrets(text, position, true).map(
    ({ start, end, wanted }) => `${wanted}=${text.slice(start, end)}`,
  )
}

it.each([
  [env('OPENAI_API_KEY'), 'sk-whatever', ['OPENAI_API_KEY=sk-whatever']],
  [env('DB_PASS'), 'x', ['DB_PASS=x']],
  [env('PGPASSWORD'), '123456789', ['PGPASSWORD=123456789']],
  [env('AUTH_HEADER'), 'Bearer abc', ['AUTH_HEADER=Bearer abc']],
  [env('DATABASE_URL'), 'postgres://u:p@h/d', ['DATABASE_URL=postgres://u:p@h/d']],
  [env('NOTE'), 'uses ghp_exampleExampleExample00', ['NOTE=uses ghp_exampleExampleExample00']],
  [
    env('GOOGLE_APPLICATION_CREDENTIALS'),
    '{"private_key": 1}',
    ['GOOGLE_APPLICATION_CREDENTIALS={"private_key": 1}'],
  ],
  [header('Authorization'), 'Bearer abc', ['Authorization=abc']],
  [header('X-Api-Key'), 'abc', ['X-Api-Key=abc']],
  [{ kind: 'argument', flag: 'api-key' }, 'abc', ['api-key=abc']],
  [argument, '--api-key=abc', ['api-key=abc']],
  [argument, 'GITHUB_TOKEN=abc', ['GITHUB_TOKEN=abc']],
  [argument, 'Authorization: Bearer abc', ['Authorization=abc']],
  [argument, 'https://x.example/sse?token=abc&page=2', ['token=abc']],
  [argument, 'postgres://user:user@host/db', ['PASSWORD=user']],
  [argument, 'AKIAEXAMPLEEXAMPLE00', ['TOKEN=AKIAEXAMPLEEXAMPLE00']],
  [{ kind: 'url' }, 'https://u:p@x.example/mcp?api_key=k', ['PASSWORD=p', 'api_key=k']],
  [
    { kind: 'url' },
    'https://x.example/s/0123456789abcdef0123456789abcdef/mcp',
    ['URL_KEY=0123456789abcdef0123456789abcdef'],
  ],
] satisfies [Position, string, string[]][])('%j with %j hides %j', (position, text, expected) => {
  expect(found(text, position)).toEqual(expected)
})

it.each([
  [env('LOG_LEVEL'), 'info'],
  [env('MAX_TOKENS'), '4096'],
  [env('AUTH_TYPE'), 'basic'],
  [env('AUTH_MODE'), 'oauth'],
  [env('USE_TOKEN'), 'true'],
  [env('API_KEY'), ''],
  [env('GIT_AUTHOR_NAME'), 'Ada'],
  [env('KEYWORDS'), 'tea, coffee'],
  [env('GOOGLE_APPLICATION_CREDENTIALS'), '/home/ada/key.json'],
  [env('TOKEN_FILE'), '/run/secrets/token'],
  [env('DATABASE_URL'), 'postgres://localhost/db'],
  [header('Accept'), 'text/plain'],
  [argument, '--root=.'],
  [argument, '@modelcontextprotocol/server-filesystem'],
  [argument, 'Authorization:${AUTH_HEADER}'],
  [argument, 'C:\\keys\\server.exe'],
  [{ kind: 'argument', flag: 'y' }, 'server-github'],
  [{ kind: 'url' }, 'https://mcp.example.com/v1/mcp?profile=free'],
] satisfies [Position, string][])('%j with %j hides nothing', (position, text) => {
  expect(found(text, position)).toEqual([])
})

it('beside references only what shows its nature is a secret', () => {
  expect(findSecrets('Bearer ', header('Authorization'), false)).toEqual([])
  expect(findSecrets('?api_key=abc', { kind: 'url' }, false)).toMatchObject([{ wanted: 'api_key' }])
})
