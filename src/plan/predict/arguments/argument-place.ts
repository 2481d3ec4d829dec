import type { CountedWay } from './counted-way.js'
import type { Target } from './follow-way.js'
import { isNumberLike, isTruthLike } from './spell-value.js'

/** One argument of a tool, or several together: the ways in which it was filled. */
export interface Place {
  readonly ways: Map<string, CountedWay>
  /** By the key of their value. */
  readonly constants: Map<string, CountedWay>
  /** What the constants say, once it was asked for; who changes them takes it away. */
  habits: Habits | undefined
}

export type Habits = Pick<Target, 'year' | 'numbersAre' | 'booleansAre'>

export function newPlace(): Place {
  return { ways: new Map(), constants: new Map(), habits: undefined }
}

/** What the values that were given last say of the next ones. */
export function habitsOf(place: Place): Habits {
  place.habits ??= findHabits(place)
  return place.habits
}

function findHabits({ constants }: Place): Habits {
  let [day, number, truth]: (CountedWay | undefined)[] = []
  for (const [key, counted] of constants) {
    if (isDay.test(key) && isNewer(counted, day)) day = counted
    if (isNumberLike(key) && isNewer(counted, number)) number = counted
    else if (isTruthLike(key) && isNewer(counted, truth)) truth = counted
  }
  return {
    ...(day && { year: String(givenBy(day)).trim().slice(0, 4) }),
    ...(number && { numbersAre: typeof givenBy(number) === 'number' ? 'number' : 'string' }),
    ...(truth && { booleansAre: typeof givenBy(truth) === 'boolean' ? 'boolean' : 'string' }),
  }
}

const isDay = /^\d{4}-\d\d-\d\d/

function givenBy({ way }: CountedWay): unknown {
  return way.kind === 'constant' ? way.value : undefined
}

/** Of two that were given at the same time, the more frequent one. */
function isNewer(one: CountedWay, than: CountedWay | undefined): boolean {
  if (than === undefined) return true
  return one.lastAt > than.lastAt || (one.lastAt === than.lastAt && one.hits > than.hits)
}
