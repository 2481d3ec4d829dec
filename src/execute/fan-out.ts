import { FanOutError } from '../errors.js'
import type { Json, JsonObject } from '../model/json.js'
import type { PlannedTask } from '../model/plan.js'
import { collectReferences, type Reference } from '../model/reference.js'
import { convertItem } from './convert-value.js'
import { fillArguments } from './fill-arguments.js'
import { type Hole, isHole, type Place, type TaskValues } from './task-values.js'

/** One of the calls that a task done for each stands for, or why it cannot be made. */
export type Element = { readonly id: string } & (
  | { readonly arguments: JsonObject }
  | { readonly hole: Hole }
  | { readonly wrong: unknown }
)

/** A list of more is work for a program: nobody reads a thousand results. */
const mostElements = 1_000

/**
 * A task done for each -> its elements, one for each place of the lists that go side by side:
 *
 *     list[*].path   a.txt    b.txt    c.txt
 *     read[*]        "one"    (hole)   "three"
 *                    save[0]  blocked  save[2]
 *
 * A place without a value stays a place, so that lists which come from one another stay aligned. What stands in one place alone
 * is wrong with that element alone; the other references are the same for all.
 *
 * @throws FanOutError where a list is none, the lists are not of one length, or there are too many places
 */
export function fanOut(task: PlannedTask, values: TaskValues): readonly Element[] {
  const references = collectReferences(task.arguments)
  const lists = new Map<string, readonly Place[]>()
  for (const reference of references.filter((one) => isTakenEach(task, one)))
    if (!lists.has(reference.text)) lists.set(reference.text, values.readEach(reference))
  const count = countOf(lists)
  const shared = new Map<string, Json>()
  for (const reference of references)
    if (!isTakenEach(task, reference) && count > 0) shared.set(keyOf(reference), values.read(reference))

  return Array.from({ length: count }, (_, at): Element => {
    const id = `${task.id}[${at}]`
    const places = [...lists.values()].map((list) => list[at]!)
    // Of two holes the one that nobody asked to leave out says more.
    const holes = places.filter(isHole)
    const hole = holes.find(({ isLeftOut }) => !isLeftOut) ?? holes[0]
    if (hole !== undefined) return { id, hole }
    try {
      const read = (reference: Reference): Json =>
        isTakenEach(task, reference)
          ? convertItem(readPlace(lists.get(reference.text)![at]!), reference)
          : shared.get(keyOf(reference))!
      return { id, arguments: fillArguments(task.arguments, read) }
    } catch (wrong) {
      return { id, wrong }
    }
  })
}

/** With `"$as": "list"` a reference asks for the list, also where the same text is taken item by item elsewhere. */
export function isTakenEach({ each }: PlannedTask, { text, as }: Reference): boolean {
  return each?.includes(text) === true && as !== 'list'
}

function countOf(lists: ReadonlyMap<string, readonly Place[]>): number {
  const [first, ...others] = lists
  if (first === undefined)
    throw new FanOutError('"each" names no reference of the arguments.', 'Plan the task again.')
  const [text, { length }] = first
  const other = others.find(([, list]) => list.length !== length)
  if (other !== undefined)
    throw new FanOutError(
      `The lists do not go side by side: "${text}" has ${length}, "${other[0]}" has ${other[1].length}.`,
      'Take fields of the same list, or make one task for each list.',
    )
  if (length > mostElements)
    throw new FanOutError(
      `"${text}" has ${length} elements, and a task is done for ${mostElements} at most.`,
      'Narrow the list down with the tool that makes it, or write code that goes through it.',
    )
  return length
}

function readPlace(place: Place): Json {
  if ('value' in place) return place.value
  throw 'wrong' in place ? place.wrong : new Error(`${place.element} has no value.`)
}

function keyOf({ text, as }: Reference): string {
  return `${as ?? ''} ${text}`
}
