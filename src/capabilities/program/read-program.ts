/** Agent-written TypeScript to data: nothing is run. Refuses what cannot be the body of an async function, with line and column. */
import type { Json } from '../../model/json.js'
import { depsOf, eachElement, type FoundCall, type PathStep, type Value } from './abstract-value.js'
import { analyseProgram, keepAnalysis } from './analyse-program.js'
import { openField } from './find-calls.js'
import { isOpen } from './is-open.js'
import type { Program, ProgramCall, ProgramEdge } from './program.js'

/** The same code is read when it is checked, run and learned from, all within a moment. */
const mostRemembered = 8
const remembered = new Map<string, Program>()

export function readProgram(code: string): Program {
  const known = remembered.get(code)
  if (known !== undefined) return known
  const program = read(code)
  if (remembered.size >= mostRemembered) remembered.delete(remembered.keys().next().value!)
  remembered.set(code, program)
  return program
}

function read(code: string): Program {
  const analysis = analyseProgram(code)
  const idOf = new Map(analysis.calls.map((call, index) => [call, `c${index + 1}`]))
  const room = { left: mostParts }
  const program: Program = {
    code,
    javascript: analysis.parsed.javascript,
    calls: analysis.calls.map((call) => toCall(call, idOf, room)),
    edges: edgesOf(analysis.calls, idOf),
    isOpen: isOpen(analysis),
  }
  keepAnalysis(program, analysis)
  return program
}

type Ids = ReadonlyMap<FoundCall, string>

function toCall(call: FoundCall, idOf: Ids, room: { left: number }): ProgramCall {
  const { line, column } = call.node.loc!.start
  return {
    id: idOf.get(call)!,
    kind: call.kind,
    ...(call.name !== undefined && { name: call.name }),
    line,
    column: column + 1,
    arguments: toJson(call.argument, idOf, room),
    ...(call.inside !== undefined && { inside: call.inside }),
    ...(call.group !== undefined && { together: `g${call.group}` }),
  }
}

/** Of all arguments together: above this, what they look like is of no use to anybody. */
const mostParts = 50_000
const mostEdges = 5_000

function toJson(value: Value, idOf: Ids, room: { left: number }): Json {
  if (room.left <= 0) return { $unknown: '...' }
  room.left--
  switch (value.kind) {
    case 'known':
      return typeof value.value === 'number' && !Number.isFinite(value.value)
        ? { $unknown: String(value.value) }
        : value.value
    case 'array':
      return value.items.length > room.left
        ? { $unknown: 'a long list' }
        : value.items.map((item) => toJson(item, idOf, room))
    case 'object': {
      const fields = [...value.fields]
        .filter(([key]) => key !== openField)
        .map(([key, field]): [string, Json] => [key, toJson(field, idOf, room)])
      return Object.fromEntries(value.open === undefined ? fields : [...fields, ['$unknown', value.open]])
    }
    case 'from':
      return { $from: `${idOf.get(value.call)}${pathText(value)}` }
    case 'argument': {
      const path = pathText({ path: value.path })
      return { $arg: path.startsWith('.') ? path.slice(1) : path }
    }
    case 'pending':
      return toJson(value.of, idOf, room)
    case 'part':
    case 'unknown':
      return { $unknown: value.text }
    case 'list':
      return { $unknown: 'a list' }
    case 'settled':
      return { $unknown: 'a settled result' }
    case 'tool':
    case 'namespace':
    case 'function':
      return { $unknown: 'a function' }
  }
}

/** As model/reference.ts reads it. A list of whole results is the result itself. */
function pathText({
  path,
  isList,
}: {
  readonly path: readonly PathStep[]
  readonly isList?: boolean
}): string {
  const steps = isList === true && path.at(-1) === eachElement ? path.slice(0, -1) : path
  return steps
    .map((step) => {
      if (step === eachElement) return '[*]'
      if (typeof step === 'number') return `[${step}]`
      return /^[^.[\]\s"']+$/.test(step as string) ? `.${step as string}` : `[${JSON.stringify(step)}]`
    })
    .join('')
}

function edgesOf(calls: readonly FoundCall[], idOf: Ids): readonly ProgramEdge[] {
  const edges: ProgramEdge[] = []
  for (const call of calls) {
    if (edges.length >= mostEdges) break
    const to = idOf.get(call)!
    const add = (from: FoundCall, type: ProgramEdge['type']) => {
      // Round a loop, something later may lead to something earlier: the picture is of one round.
      if (from.rank < call.rank && edges.length < mostEdges) edges.push({ from: idOf.get(from)!, to, type })
    }
    const needed = depsOf(call.argument)
    for (const from of needed) {
      if (edges.length >= mostEdges) break
      add(from, 'data')
    }
    for (const from of call.after) if (!needed.has(from)) add(from, 'order')
  }
  return edges
}
