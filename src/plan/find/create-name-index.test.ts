import { describe, expect, it } from 'vitest'
import type { ToolId } from '../../model/tool.js'
import { wireName } from '../../model/wire-name.js'
import { makeTool } from '../make-tool.contract.js'
import { createNameIndex } from './create-name-index.js'

const long = makeTool(`files:${'very_'.repeat(20)}long`)
const tools = [
  makeTool('github:create_issue'),
  makeTool('gitlab:create_issue'),
  makeTool('files:read_file'),
  makeTool('files:read_multiple_files'),
  makeTool('my-files:readFile'),
  makeTool('db:run/query.v2'),
  makeTool('old:archive', '', { listed: false }),
  makeTool('new:archive'),
  makeTool('gone:vanished', '', { listed: false }),
  makeTool('odd:__proto__'),
  makeTool('odd:constructor'),
  makeTool('emoji:🚀'),
  long,
]
const wireNames = new Map(tools.map((tool) => [wireName(tool.id, 'server'), tool.id]))
const index = createNameIndex(tools, wireNames)

describe('resolve', () => {
  it.each([
    ['github:create_issue', 'github:create_issue'],
    ['github__create_issue', 'github:create_issue'],
    ['mcp__pml__github__create_issue', 'github:create_issue'],
    ['mcp__my_gateway__github__create_issue', 'github:create_issue'],
    ['mcp__pml__github:create_issue', 'github:create_issue'],
    ['pml:github__create_issue', 'github:create_issue'],
    ['  github:create_issue ', 'github:create_issue'],
    ['GitHub:Create-Issue', 'github:create_issue'],
    ['github.create_issue', 'github:create_issue'],
    ['read_multiple_files', 'files:read_multiple_files'],
    ['readMultipleFiles', 'files:read_multiple_files'],
    ['read_file', 'files:read_file'],
    ['readFile', 'my-files:readFile'],
    ['my_files:read_file', 'my-files:readFile'],
    ['db:run/query.v2', 'db:run/query.v2'],
    ['archive', 'new:archive'],
    ['old:archive', 'old:archive'],
    ['vanished', 'gone:vanished'],
    ['__proto__', 'odd:__proto__'],
    ['constructor', 'odd:constructor'],
    ['🚀', 'emoji:🚀'],
    [wireName(long.id, 'server'), long.id],
    [`mcp__pml__${wireName(long.id, 'server')}`, long.id],
    [wireName('db:run/query.v2' as ToolId, 'server'), 'db:run/query.v2'],
  ])('%s is %s', (name, id) => {
    expect(index.resolve(name)?.id).toBe(id)
  })

  it.each([
    ['a bare name that two servers have', 'create_issue'],
    ['a forgiving form that two tools could mean', 'READ-FILE'],
    ['an unknown name', 'nope'],
    ['a misspelt name', 'github:create_isue'],
    ['an empty name', ''],
    ['a prefix alone', 'mcp__pml__'],
    ['a name of a megabyte', 'x'.repeat(1_000_000)],
    ['what every object has', 'toString'],
  ])('never guesses: %s', (_, name) => {
    expect(index.resolve(name)).toBeUndefined()
  })

  it('takes a wire name without the server where there is one', () => {
    const single = createNameIndex([tools[2]!], new Map([['read_file', tools[2]!.id]]))
    expect(single.resolve('mcp__pml__read_file')?.id).toBe('files:read_file')
  })

  it('prefers the wire name over a bare name of another tool', () => {
    const a = makeTool('a:b__c')
    const b = makeTool('x:a__b__c')
    expect(createNameIndex([a, b], new Map([['a__b__c', a.id]])).resolve('a__b__c')?.id).toBe('a:b__c')
  })
})

describe('closest', () => {
  it.each([
    ['create_issue', ['github:create_issue', 'gitlab:create_issue']],
    ['github:create_isue', ['github:create_issue', 'gitlab:create_issue']],
    ['read_files', ['files:read_file', 'my-files:readFile']],
    ['issue_create', ['github:create_issue', 'gitlab:create_issue']],
    ['mcp__pml__files__raed_file', ['files:read_file', 'my-files:readFile']],
  ])('%s -> %j', (name, closest) => {
    expect(index.closest(name, 2)).toEqual(closest)
  })

  it('keeps to the limit, leaves out what is not alike and what is no longer listed', () => {
    expect(index.closest('create_issue', 1)).toHaveLength(1)
    expect(index.closest('create_issue', 0)).toEqual([])
    expect(index.closest('zzzzzzzz', 5)).toEqual([])
    expect(index.closest('vanished', 5)).not.toContain('gone:vanished')
    expect(index.closest('x'.repeat(1_000_000), 5)).toEqual([])
  })
})
