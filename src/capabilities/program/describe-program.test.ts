import { describe, expect, it } from 'vitest'
import { describeProgram } from './describe-program.js'
import { permissionSetOf } from './permission-set-of.js'
import { programTasks } from './program-tasks.js'
import { samplePrograms } from './programs.contract.js'
import { readProgram } from './read-program.js'

describe('describeProgram', () => {
  it('says what is called, in which order, and how often', () => {
    expect(
      describeProgram(
        readProgram(`
          const list = await tools.github.list_issues({ owner: 'o' })
          const texts = await Promise.all(list.items.map((i) => tools.github.get({ id: i.id })))
          if (texts.length > 3) await tools.slack.post({ text: texts[0].title })
          await Promise.all([tools.mail.send({ n: 1 }), tools.mail.send({ n: 2 }), capabilities.report({ texts })])
          await tools.any[args.name]({})`),
      ),
    ).toBe(
      [
        '1. github:list_issues',
        '2. github:get, side by side, for each of several, with what 1 gave',
        '3. slack:post, perhaps, with what 2 gave',
        '4. mail:send (2 times), capability report, side by side, with what 2 gave',
        '5. a tool (computed)',
      ].join('\n'),
    )
  })

  it('says so where nothing is called', () => {
    expect(describeProgram(readProgram('return 1'))).toBe('Calls no tool.')
  })

  it('stays short', () => {
    const text = describeProgram(readProgram('await tools.a.b({})\n'.repeat(100)))
    expect(text.split('\n')).toHaveLength(21)
    expect(text).toContain('... and 80 more')
  })
})

describe('programTasks', () => {
  it('is the program as a DAG', () => {
    expect(
      programTasks(
        readProgram(
          'const a = await tools.s.one({ n: 1 }); for (const x of a.items) await tools.s.two({ id: x.id })',
        ),
      ),
    ).toEqual({
      tasks: [
        { id: 'c1', kind: 'tool', tool: 's:one', arguments: { n: 1 }, dependsOn: [] },
        {
          id: 'c2',
          kind: 'tool',
          tool: 's:two',
          arguments: { id: { $from: 'c1.items[*].id' } },
          dependsOn: ['c1'],
          inside: 'loop',
        },
      ],
      edges: [{ from: 'c1', to: 'c2', type: 'data' }],
    })
  })

  it('has a task for each call', () => {
    for (const { code, calls } of samplePrograms) {
      expect(programTasks(readProgram(code)).tasks).toHaveLength(calls.length)
    }
  })
})

describe('permissionSetOf', () => {
  it.each([
    ['minimal', []],
    ['readonly', ['safe', 'safe']],
    ['standard', ['safe', 'moderate']],
    ['trusted', ['moderate', 'dangerous']],
  ] as const)('%s', (expected, risks) => {
    expect(permissionSetOf(risks.map((risk) => ({ risk })))).toBe(expected)
  })
})
