import type { Speculation, SpeculationFigures } from '../model/speculation.js'

export const noFigures: SpeculationFigures = {
  predicted: 0,
  started: 0,
  hits: 0,
  joined: 0,
  wasted: 0,
  refused: 0,
  right: 0,
  wrong: 0,
  savedMs: 0,
  cost: 0,
}

/** One row of the ledger, to be added up. */
export function toFigures({ decision, outcome, savedMs = 0, cost }: Speculation): SpeculationFigures {
  return {
    predicted: 1,
    started: Number(decision === 'started'),
    hits: Number(outcome === 'hit'),
    joined: Number(outcome === 'joined'),
    wasted: Number(outcome === 'wasted'),
    refused: Number(decision === 'refused'),
    right: Number(outcome === 'right'),
    wrong: Number(outcome === 'wrong'),
    savedMs,
    cost,
  }
}

export function sumFigures(a: SpeculationFigures, b: SpeculationFigures): SpeculationFigures {
  return {
    predicted: a.predicted + b.predicted,
    started: a.started + b.started,
    hits: a.hits + b.hits,
    joined: a.joined + b.joined,
    wasted: a.wasted + b.wasted,
    refused: a.refused + b.refused,
    right: a.right + b.right,
    wrong: a.wrong + b.wrong,
    savedMs: a.savedMs + b.savedMs,
    cost: a.cost + b.cost,
  }
}
