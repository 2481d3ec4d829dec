/** Some short lines for the person who is asked whether the program may run: what it calls, in which order, and how often. */
import type { Program, ProgramCall } from './program.js'
import { computedName } from './program-tasks.js'

export function describeProgram({ calls, edges }: Program): string {
  if (calls.length === 0) return 'Calls no tool.'
  const steps: ProgramCall[][] = []
  for (const call of calls) {
    const last = steps.at(-1)
    if (call.together !== undefined && last?.[0]?.together === call.together) last.push(call)
    else steps.push([call])
  }
  const needs = (call: ProgramCall) =>
    edges.filter(({ to, type }) => to === call.id && type === 'data').map(({ from }) => from)
  const stepOf = new Map(steps.flatMap((step, index) => step.map((call) => [call.id, index + 1] as const)))
  const lines = steps.slice(0, mostLines).map((step, index) => {
    const from = [...new Set(step.flatMap(needs).map((id) => stepOf.get(id)!))].filter(
      (one) => one !== index + 1,
    )
    const source = from.length === 0 ? '' : `, with what ${from.sort((a, b) => a - b).join(' and ')} gave`
    return `${index + 1}. ${describeStep(step)}${source}`
  })
  const more = steps.length - lines.length
  return [...lines, ...(more > 0 ? [`... and ${more} more`] : [])].join('\n')
}

const mostLines = 20

function describeStep(step: readonly ProgramCall[]): string {
  const [first] = step
  const names = counted(step.map((call) => nameOf(call)))
  const how = step.length > 1 ? ', side by side' : ''
  const inside = first?.inside
  if (inside === 'loop')
    return `${names}${first?.together === undefined ? '' : ', side by side'}, for each of several`
  if (inside === 'branch') return `${names}${how}, perhaps`
  if (inside === 'function') return `${names}${how}, wherever the code asks for it`
  return `${names}${how}`
}

function nameOf({ name, kind }: ProgramCall): string {
  if (name === undefined) return kind === 'tool' ? `a tool ${computedName}` : `a capability ${computedName}`
  return kind === 'tool' ? name : `capability ${name}`
}

function counted(names: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return [...counts].map(([name, count]) => (count === 1 ? name : `${name} (${count} times)`)).join(', ')
}
