import type { Risk } from './risk.js'

const ranks: readonly Risk[] = ['safe', 'moderate', 'dangerous']

/** The higher, the more is asked. */
export function rankRisk(risk: Risk): number {
  return ranks.indexOf(risk)
}
