import type { Edge, EdgeKey } from '../model/edge.js'
import { sourceFactor, typeWeight } from './edge-weight.js'

/** A repeat is no relation between two tools, so nothing leads from a node to itself. */
export function isPossibleKey({ from, to, type }: EdgeKey): boolean {
  return isName(from) && isName(to) && from !== to && Object.hasOwn(typeWeight, type)
}

/** Numbers that would make weights leave [0, 1] came from a damaged row, and are kept out. */
export function isPossibleEdge(edge: Edge): boolean {
  return (
    isPossibleKey(edge) &&
    Object.hasOwn(sourceFactor, edge.source) &&
    isCount(edge.count) &&
    isCount(edge.successes) &&
    isCount(edge.failures) &&
    edge.successes + edge.failures <= edge.count &&
    isTime(edge.firstSeen) &&
    isTime(edge.lastSeen)
  )
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0
}

function isTime(value: number | undefined): boolean {
  return value === undefined || Number.isFinite(value)
}

function isName(id: unknown): boolean {
  return typeof id === 'string' && id !== ''
}
