import { isTelling, isTellingWord } from '../model/is-telling.js'
import type { Json, JsonObject } from '../model/json.js'
import type { ValueLink } from '../model/trace.js'
import { visitLeaves } from './visit-leaves.js'

/** A call with its values as they were, before redaction. */
export interface CallValues {
  readonly id: string
  readonly arguments: JsonObject
  /** Absent where the tool gave none. */
  readonly result?: Json
  readonly startedAt: number
  readonly endedAt: number
  /** Places in the arguments of which is known where they came from: nothing is looked for at and beneath them. */
  readonly explained: readonly string[]
}

/**
 * Where a value of one result reappears in the arguments of a later call: by the id of the later call.
 *
 * A value is a string or a number that says where it came from (is-telling.ts), compared as text, so that `42` and `"42"`
 * are the same; in a result that is prose, also each word that looks like an id, a path or a number. The producer had
 * ended when the consumer started. Of several producers the one that ended last wins, as it is what a reader had before
 * them; within its result, the first place. A result that repeats what its own call was given has produced nothing:
 * `get(42)` answers with the 42 that `create` had made.
 *
 * Work is bounded: of each result the first `mostValues` are remembered, and its first letters searched for words; of each
 * call's arguments `mostArgumentValues` are looked at; one argument has at most `mostLinksPerArgument` links, as a list of
 * a hundred ids is one link said a hundred times.
 */
export function findValueLinks(calls: readonly CallValues[]): ReadonlyMap<string, readonly ValueLink[]> {
  const byEnd = calls.filter(({ result }) => result !== undefined).toSorted((a, b) => a.endedAt - b.endedAt)
  const byStart = calls.toSorted((a, b) => a.startedAt - b.startedAt)
  const mostOfEach = Math.max(fewestValues, Math.min(mostValues, Math.floor(mostValuesOfRun / calls.length)))
  const producers = new Map<string, Producer>()
  const links = new Map<string, readonly ValueLink[]>()
  let ended = 0
  for (const call of byStart) {
    for (; ended < byEnd.length && byEnd[ended]!.endedAt <= call.startedAt; ended++)
      remember(byEnd[ended]!, producers, mostOfEach)
    const found = linksOf(call, producers)
    if (found.length > 0) links.set(call.id, found)
  }
  return links
}

/** The same for calls that come one by one: what results held, the newest values first to stay. */
export interface ValueMemory {
  linksOf(call: CallValues): readonly ValueLink[]
  remember(call: CallValues): void
}

export function createValueMemory(): ValueMemory {
  const producers = new Map<string, Producer>()
  return {
    linksOf: (call) => linksOf(call, producers),
    remember(call) {
      if (call.result === undefined) return
      remember(call, producers, valuesOfOneCall)
      for (const key of producers.keys()) {
        if (producers.size <= valuesOfSession) break
        producers.delete(key)
      }
    },
  }
}

interface Producer {
  readonly from: string
  readonly path: string
}

/** A page of results of a search or a listing holds some hundred; a run of 10 calls is looked through in milliseconds. */
const mostValues = 2_000
/** Some 10 MB at most, and a fraction of a second: a run of a thousand calls gets 100 of each. */
const mostValuesOfRun = 100_000
const fewestValues = 50
/** What is longer is a text, and nobody passes it on by itself. */
const longestKey = 1_000
/** Calls that come one by one are looked at while others are served. Half a millisecond of a listing. */
const valuesOfOneCall = 300
const valuesOfSession = 2_000
/** 100,000 letters of a result, a long page, where each may have 2,000 values. */
const lettersPerValue = 50
const mostArgumentValues = 500
const mostLinksPerArgument = 8
/** Containers, booleans and what is not telling are steps as well. */
const stepsPerValue = 10

function remember(call: CallValues, producers: Map<string, Producer>, most: number): void {
  const given = new Set<string>()
  visitLeaves(call.arguments, mostArgumentValues * stepsPerValue, (leaf) => {
    given.add(keyOf(leaf))
    return true
  })
  const seen = new Set<string>()
  let letters = most * lettersPerValue
  visitLeaves(call.result!, most * stepsPerValue, (leaf, path) => {
    const produced = (key: string): boolean => {
      if (key.length > longestKey || seen.has(key) || given.has(key)) return true
      seen.add(key)
      // What is set anew is the newest.
      producers.delete(key)
      producers.set(key, { from: call.id, path })
      return seen.size < most
    }
    if (isTelling(leaf) && !produced(keyOf(leaf))) return false
    if (typeof leaf === 'number' || letters <= 0) return true
    const goesOn = eachTellingWord(leaf.slice(0, letters), produced)
    letters -= leaf.length
    return goesOn
  })
}

function linksOf(call: CallValues, producers: ReadonlyMap<string, Producer>): readonly ValueLink[] {
  const links: ValueLink[] = []
  const perArgument = new Map<string, number>()
  let looked = 0
  visitLeaves(call.arguments, mostArgumentValues * stepsPerValue, (leaf, path) => {
    if (!isTelling(leaf) || call.explained.some((place) => isAtOrBeneath(path, place))) return true
    const producer = producers.get(keyOf(leaf))
    if (producer !== undefined && producer.from !== call.id) {
      const argument = /^\["(?:[^"\\]|\\.)*"\]|^[^.[]*/.exec(path)![0]
      const count = (perArgument.get(argument) ?? 0) + 1
      perArgument.set(argument, count)
      if (count <= mostLinksPerArgument)
        links.push({ from: producer.from, resultPath: producer.path, argumentPath: path })
    }
    return ++looked < mostArgumentValues
  })
  return links
}

/** The words of a text that are telling on their own, until `found` gives false. One word is a value, not a text. */
function eachTellingWord(text: string, found: (word: string) => boolean): boolean {
  if (!/\s/.test(text)) return true
  for (const [word] of text.matchAll(/[^\s"'`<>()[\]{},;]{4,}/g)) {
    if (!/[^a-z]/i.test(word)) continue
    const bare = word.replace(/^[#:.]+|[.:!?]+$/g, '')
    // A copy: a part of a text keeps the whole of it.
    if (isTellingWord(bare) && !found(Buffer.from(keyOf(bare)).toString())) return false
  }
  return true
}

function keyOf(value: string | number): string {
  return String(value).trim()
}

function isAtOrBeneath(path: string, place: string): boolean {
  if (place === '') return true
  return path.startsWith(place) && (path.length === place.length || /[.[]/.test(path[place.length]!))
}
