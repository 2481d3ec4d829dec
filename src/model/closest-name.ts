import { editDistance } from './edit-distance.js'

/** The known name that a typing slip would most likely have meant, if any is near enough to be worth saying. */
export function closestName(typed: string, known: Iterable<string>): string | undefined {
  return closestNames(typed, known, 1)[0]
}

/** The same for as many as `limit`, best first. */
export function closestNames(typed: string, known: Iterable<string>, limit: number): readonly string[] {
  const wanted = simplify(typed)
  const farthest = Math.max(2, Math.floor(wanted.length / 3))
  return [...new Set(known)]
    .map((name) => ({ name, distance: editDistance(wanted, simplify(name), farthest) }))
    .filter(({ name, distance }) => distance <= farthest && distance < name.length)
    .sort((a, b) => a.distance - b.distance)
    .slice(0, limit)
    .map(({ name }) => name)
}

/** The rest of a longer name is not worth its time: a distance costs the product of both lengths. */
const longest = 100

function simplify(name: string): string {
  return name
    .toLowerCase()
    .replace(/[-_.]+/g, '_')
    .slice(0, longest)
}
