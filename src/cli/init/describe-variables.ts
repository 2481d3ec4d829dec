import type { Colours } from '../colour.js'
import type { InitOutcome } from './plan-init.js'

/** What is left to a person about secrets; `remedy` is what to type to have their values copied. */
export function describeVariables(
  { toSet, carried, asked }: Pick<InitOutcome, 'toSet' | 'carried' | 'asked'>,
  remedy: string,
  { yellow }: Colours,
): readonly string[] {
  const copyable = [...toSet, ...carried].filter((name) => !asked.includes(name))
  const notes = [
    ...(toSet.length === 0 ? [] : [`${list(toSet)} must be set wherever PML is started.`]),
    ...(carried.length === 0 ? [] : [describeLending(carried)]),
    ...(asked.length === 0 ? [] : [describeAsked(asked)]),
    ...(copyable.length === 0
      ? []
      : [`To keep ${list(copyable)} in secrets.env, for you alone to read: ${remedy}`]),
  ]
  return notes.map((note) => `${yellow('note')} ${note}`)
}

function describeLending(names: readonly string[]): string {
  const it = names.length === 1 ? 'it' : 'them'
  return (
    `A gateway that something else started gets ${list(names)} when a client whose entry has ${it} connects, ` +
    `and loses ${it} when that client has gone and another process takes over.`
  )
}

function describeAsked(names: readonly string[]): string {
  const [are, them] = names.length === 1 ? ['is', 'it'] : ['are', 'them']
  return `${list(names)} ${are} what the client asks you for: PML does not know ${them} and cannot copy ${them}.`
}

const mostNames = 8

function list(names: readonly string[]): string {
  const more = names.length - mostNames
  return more > 1 ? `${names.slice(0, mostNames).join(', ')} and ${more} more` : names.join(', ')
}
