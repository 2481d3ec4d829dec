import type { ArgumentOrigin, Plan, PlanEdge, PlannedTask } from '../model/plan.js'
import { placeReferences } from '../model/reference.js'
import { joinKey } from './wire/schema-fields.js'

/** A dependency that no pair of tools was weighed for: an argument refers to it, by habit or because it is each of something. */
export function edgesOfReferences(
  { tasks }: Plan,
  edges: readonly PlanEdge[],
  origins: readonly ArgumentOrigin[],
): readonly PlanEdge[] {
  const known = new Set(edges.map(({ from, to }) => `${from} ${to}`))
  return tasks.flatMap((task) =>
    task.dependsOn
      .filter((from) => !known.has(`${from} ${task.id}`))
      .map((from): PlanEdge => {
        const probability = Math.min(surest, Math.max(leastSure, confidenceOf(task, from, origins)))
        return {
          from,
          to: task.id,
          probability,
          parts: { argument: Math.log(probability / (1 - probability)) },
          fields: [],
          why: 'an argument comes from it',
        }
      }),
  )
}

/** Log-odds stay finite. */
const [leastSure, surest] = [0.01, 0.99]

function confidenceOf(task: PlannedTask, from: string, origins: readonly ArgumentOrigin[]): number {
  const places = placeReferences(task.arguments)
    .filter(({ reference }) => reference.task === from)
    .map(({ place }) => writePlace(place))
  const own = origins.filter((origin) => origin.task === task.id)
  return Math.max(
    0,
    ...own
      .filter(({ argument }) => places.some((place) => isAt(place, argument)))
      .map((one) => one.confidence),
  )
}

function writePlace(place: readonly (string | number)[]): string {
  return place.reduce<string>(
    (path, step) => (typeof step === 'number' ? `${path}[${step}]` : joinKey(path, step)),
    '',
  )
}

function isAt(place: string, argument: string): boolean {
  return place === argument || (place.startsWith(argument) && /[.[]/.test(place[argument.length]!))
}
