import { describe, expect, it } from 'vitest'
import { capability } from '../../capabilities/test-shelf.contract.js'
import { toolOfCapability } from '../../capabilities/tool-of-capability.js'
import {
  CapabilityNotFoundError,
  type PmlError,
  ToolNotFoundError,
  ToolQuarantinedError,
} from '../../errors.js'
import { codeTool } from '../../model/capability.js'
import type { Tool } from '../../model/tool.js'
import { makeTool } from '../test-gateway.contract.js'
import { type PlanCodeDeps, planCode } from './execute-code.js'

const read = makeTool('files', 'read', {
  inputSchema: {
    type: 'object',
    properties: { path: { type: 'string' }, head: { type: 'integer' } },
    required: ['path'],
  },
})
const late = makeTool('late', 'find')
const counting = toolOfCapability(
  capability('count_lines', {
    inputSchema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
  }),
)

function deps(changes: Partial<PlanCodeDeps> = {}): PlanCodeDeps {
  let tools: readonly Tool[] = [read]
  const now = (name: string): Tool => {
    if (name === 'files:changed') throw new ToolQuarantinedError(makeTool('files', 'changed').id)
    const tool = tools.find(({ id }) => id === name)
    if (tool === undefined) throw new ToolNotFoundError(name, ['files:read'], [])
    return tool
  }
  return {
    view: {} as PlanCodeDeps['view'],
    resolve: {
      now,
      async soon(name) {
        // A server that comes up while it is waited for.
        if (name.startsWith('late:')) tools = [read, late]
        return now(name)
      },
    },
    capability(name) {
      if (name === 'count_lines') return counting
      throw new CapabilityNotFoundError(name, ['count_lines'])
    },
    unavailable: () => undefined,
    loaded: async () => {},
    ...changes,
  }
}

const plan = (code: string, changes: Partial<PlanCodeDeps> = {}) =>
  planCode({ code, intent: undefined, arguments: {} }, deps(changes))
const refused = async (code: string): Promise<string> => {
  try {
    await plan(code)
    return 'not refused'
  } catch (error) {
    return `${(error as PmlError).code} ${(error as PmlError).message}`
  }
}

describe('a program', () => {
  it('is a plan of one task, with its intent and arguments', async () => {
    const code = 'return (await tools.files.read({ path: args.path })).length'
    expect(await planCode({ code, intent: 'measure it', arguments: { path: 'a' } }, deps())).toEqual({
      intent: 'measure it',
      tasks: [
        {
          id: 'code',
          tool: codeTool,
          arguments: { path: 'a' },
          dependsOn: [],
          onError: 'fail',
          program: { code },
        },
      ],
    })
    expect(await plan('1 + 1')).not.toHaveProperty('intent')
  })

  it('waits for a server that has not been heard of yet', async () => {
    await expect(plan('return await tools.late.find({})')).resolves.toBeDefined()
  })

  it('is refused where no code can be run, before it is looked at', async () => {
    const unavailable = () => ({ code: 'CODE_OFF', message: 'Code is switched off.', hint: 'Switch it on.' })
    await expect(plan('const = 2', { unavailable })).rejects.toMatchObject({
      code: 'CODE_OFF',
      hint: 'Switch it on.',
    })
  })

  it('with a mistake in its syntax is told where', async () => {
    expect(await refused('const a = 1\nconst = 2')).toMatch(/^CODE_SYNTAX .*line 2/i)
  })
})

describe('what would fail is told before it runs, with its line', () => {
  it('a tool or capability that is not there, with those that are', async () => {
    expect(await refused('const a = 1\nawait tools.files.raed({ path: "a" })')).toMatch(
      /^CODE_CHECK .*line 2: No tool "files:raed".*files:read/,
    )
    expect(await refused('await capabilities.count_line({ path: "a" })')).toMatch(
      /^CODE_CHECK .*line 1: No capability "count_line".*count_lines/,
    )
  })

  it('an argument that is missing, of another type, or unknown where none is allowed', async () => {
    expect(await refused('await tools.files.read({})')).toMatch(/line 1: .*path.* missing/)
    expect(await refused('\nawait tools.files.read({ path: ["a"] })')).toMatch(/line 2: .*path/)
    expect(await refused('await tools.files.read({ path: "a", head: "one" })')).toMatch(/line 1: .*head/)
    expect(await refused('await capabilities.count_lines({ path: 1 })')).toMatch(/line 1: .*path/)
  })

  it('all of it at once', async () => {
    const text = await refused(
      'await tools.files.raed({})\nawait tools.files.read({})\nawait tools.files.read({ path: 2 })',
    )
    for (const line of [1, 2, 3]) expect(text).toContain(`line ${line}:`)
  })

  it('but nothing that only running can show', async () => {
    for (const code of [
      'await tools.files.read(args)',
      'await tools.files.read({ ...args, head: 1 })',
      'await tools[args.name]({})',
      'await tools.files.read({ path: await tools.files.read({ path: "a" }) })',
      'const tools = { files: { raed: () => 1 } }; return tools.files.raed()',
      'const read = tools.files.read; return await Promise.all(args.paths.map((path) => read({ path })))',
    ])
      expect(await refused(code), code).toBe('not refused')
  })

  it('and a tool whose definition changed is told when it is called, not here', async () => {
    expect(await refused('await tools.files.changed({ any: 1 })')).toBe('not refused')
  })
})
