import { describe, expect, it } from 'vitest'
import type { Embedder } from '../../embed/embedder.js'
import { createStaticEmbedder } from '../../embed/static-embedder.js'
import type { JsonObject } from '../../model/json.js'
import type { Tool } from '../../model/tool.js'
import { makeTool } from '../make-tool.contract.js'
import { createToolShapes, isLister, primaryInput, roleOf, sameFamily } from './describe-tool.js'
import { shapeTools, sketchTool } from './shape-tools.contract.js'

const nothing = () => undefined
const text = { type: 'string' }

describe('createToolShapes', () => {
  it.each([
    ['github:github_list_pull_requests', 'list', ['pull', 'request']],
    ['github:list_issues', 'list', ['issu']],
    ['mail:sendMail', 'send', ['mail']],
    ['weather:weather', undefined, ['weather']],
    ['weather:current_weather', undefined, ['current', 'weather']],
    ['x:get', 'get', []],
    ['x:天気', undefined, ['天', '気', '天気']],
  ])('reads verb and thing out of %s', async (id, verb, thing) => {
    const [shape] = await shapeTools({ id })
    expect([shape!.verb, [...shape!.thing]]).toEqual([verb, thing])
  })

  it('lists what a tool takes and gives, each with a vector', async () => {
    const [shape] = await shapeTools({
      id: 'mail:send_mail',
      description: 'Sends the mail',
      takes: { to: text, 'cc?': text },
      gives: { type: 'object', properties: { id: text } },
    })
    expect(shape!.inputs.map(({ path, isRequired }) => [path, isRequired])).toEqual([
      ['to', true],
      ['cc', false],
    ])
    expect(shape!.outputs.map(({ path }) => path)).toEqual(['id'])
    for (const { vector } of [shape!, ...shape!.inputs, ...shape!.outputs]) {
      expect(vector.length).toBeGreaterThan(0)
      expect(vector.every(Number.isFinite)).toBe(true)
    }
    expect([...shape!.said]).toEqual(['send', 'mail'])
  })

  it('looks at a definition once, and at a new one again', async () => {
    const counted = countingEmbedder()
    const shapes = createToolShapes(counted.embedder)
    const tool = sketchTool({ id: 'mail:send', takes: { to: text } })
    const [first] = await shapes.of([tool], nothing)
    // The catalogue makes the tool anew and keeps its definition.
    const [again, twice] = await shapes.of([{ ...tool }, tool], nothing)
    expect(again).toBe(first)
    expect(twice).toBe(first)
    expect(counted.calls()).toBe(1)
    const [changed] = await shapes.of([{ ...tool, definition: { ...tool.definition } }], nothing)
    expect(changed).not.toBe(first)
    expect(counted.calls()).toBe(2)
  })

  it('takes what was seen of results where the tool says nothing of them', async () => {
    const shapes = createToolShapes(createStaticEmbedder())
    const seen: JsonObject = { type: 'object', properties: { seen: text } }
    const silent = sketchTool({ id: 'x:get' })
    const telling = sketchTool({ id: 'x:tell', gives: { type: 'object', properties: { told: text } } })
    const [a, b] = await shapes.of([silent, telling], () => seen)
    expect([a!.outputs[0]!.path, b!.outputs[0]!.path]).toEqual(['seen', 'told'])
    // Known before, and more is known now.
    const [before] = await shapes.of([silent], nothing)
    expect(before!.outputs).toEqual([])
    expect((await shapes.of([silent], () => seen))[0]).toBe(a)
  })

  it('tries again after trouble', async () => {
    const { embedder } = countingEmbedder()
    let fails = true
    const shapes = createToolShapes({
      ...embedder,
      embed: (...given) => (fails ? Promise.reject(new Error('down')) : embedder.embed(...given)),
    })
    const tool = sketchTool({ id: 'x:get' })
    await expect(shapes.of([tool], nothing)).rejects.toThrow('down')
    fails = false
    expect(await shapes.of([tool], nothing)).toHaveLength(1)
  })

  it.each<[string, Partial<Tool['definition']>]>([
    ['a description that is no text', { description: 7 as never }],
    ['no schema', { inputSchema: undefined as never }],
    ['a schema that is none', { inputSchema: 'x' as never, outputSchema: [] as never }],
    ['a description of 1,000,000 characters', { description: 'a '.repeat(500_000) }],
  ])('is not troubled by %s', async (_, definition) => {
    const tool = makeTool('x:get_thing')
    const [shape] = await createToolShapes(createStaticEmbedder()).of(
      [{ ...tool, definition: { ...tool.definition, ...definition } }],
      nothing,
    )
    expect(shape).toMatchObject({ verb: 'get', inputs: [] })
  })
})

describe('what shapes tell', () => {
  it('finds what a tool is about: the first parameter that must be there and holds a value', async () => {
    const inner = { type: 'object', properties: { a: text }, required: ['a'] }
    const [shape, none] = await shapeTools(
      { id: 'x:put', takes: { 'first?': text, holder: inner, last: text } },
      { id: 'x:get', takes: { 'first?': text } },
    )
    expect(primaryInput(shape!)?.path).toBe('holder.a')
    expect(primaryInput(none!)).toBeUndefined()
  })

  it('knows what lists, what words ask for the same, and who comes first', async () => {
    const [lister, reader] = await shapeTools({ id: 'x:list_files' }, { id: 'x:read_file' })
    expect([isLister(lister!), isLister(reader!)]).toEqual([true, false])
    expect([sameFamily('read', 'fetch'), sameFamily('read', 'delet')]).toEqual([true, false])
    expect([roleOf('find'), roleOf('convert'), roleOf('send'), roleOf('banana')]).toEqual([
      'gives',
      'turns',
      'uses',
      undefined,
    ])
  })
})

function countingEmbedder() {
  const real = createStaticEmbedder()
  let count = 0
  const embedder: Embedder = {
    ...real,
    embed(...given) {
      count++
      return real.embed(...given)
    },
  }
  return { embedder, calls: () => count }
}
