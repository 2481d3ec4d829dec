import { bootstrapInterval, type Interval } from './bootstrap-interval.js'
import type { Dag, FieldPair, Pair } from './read-dags.js'

/** How good the links of plans are. All shares are fractions of 1; precision, recall and F1 are means over the plans. */
export interface LinkFigures {
  /** Links are pairs of different tools, each once. */
  readonly link_precision: number
  readonly link_recall: number
  readonly link_f1: number
  /** Share of plans with exactly the wanted tools and links. */
  readonly exact_graph: number
}

export interface PlanFigures extends LinkFigures {
  readonly samples: number
  /** Over the plans that say which fields feed which parameters; null where none does. */
  readonly field_f1: number | null
  /** Over the plans that say what runs at the same time; null where none does. */
  readonly exact_stages: number | null
  readonly node_f1: number
  /** 95 % of 1,000 resamples. */
  readonly link_f1_interval: Interval
  readonly exact_graph_interval: Interval
}

export interface PlanAnswer {
  readonly tools: readonly string[]
  readonly edges: readonly Pair[]
  readonly fields: readonly FieldPair[]
  readonly stages: readonly (readonly string[])[]
}

export interface JudgedPlan {
  readonly wanted: Pick<Dag, 'tools' | 'edges' | 'fields' | 'stages'>
  readonly given: PlanAnswer
}

export function planFigures(plans: readonly JudgedPlan[], { random }: { random(): number }): PlanFigures {
  const withFields = plans.filter(({ wanted }) => wanted.fields !== undefined)
  const withStages = plans.filter(({ wanted }) => wanted.stages !== undefined)
  return {
    samples: plans.length,
    ...linkFigures(plans),
    field_f1:
      withFields.length === 0
        ? null
        : mean(withFields.map(({ wanted, given }) => compare(wanted.fields!, given.fields).f1)),
    exact_stages:
      withStages.length === 0
        ? null
        : mean(withStages.map(({ wanted, given }) => (sameStages(wanted.stages!, given.stages) ? 1 : 0))),
    node_f1: mean(plans.map(({ wanted, given }) => compare(wanted.tools, given.tools).f1)),
    link_f1_interval: bootstrapInterval(plans.map(linkF1), random),
    exact_graph_interval: bootstrapInterval(plans.map(exactGraph), random),
  }
}

export function linkFigures(
  plans: readonly { readonly wanted: Linked; readonly given: Linked }[],
): LinkFigures {
  const links = plans.map(({ wanted, given }) => compare(wanted.edges, given.edges))
  return {
    link_precision: mean(links.map(({ precision }) => precision)),
    link_recall: mean(links.map(({ recall }) => recall)),
    link_f1: mean(links.map(({ f1 }) => f1)),
    exact_graph: mean(plans.map(exactGraph)),
  }
}

type Linked = Pick<PlanAnswer, 'tools' | 'edges'>

function linkF1({ wanted, given }: { readonly wanted: Linked; readonly given: Linked }): number {
  return compare(wanted.edges, given.edges).f1
}

function exactGraph({ wanted, given }: { readonly wanted: Linked; readonly given: Linked }): number {
  return compare(wanted.tools, given.tools).f1 === 1 && linkF1({ wanted, given }) === 1 ? 1 : 0
}

interface Overlap {
  readonly precision: number
  readonly recall: number
  readonly f1: number
}

/** Where nothing is wanted, nothing is right, and anything wrong. */
function compare(wanted: readonly unknown[], given: readonly unknown[]): Overlap {
  const right = new Set(wanted.map((one) => JSON.stringify(one)))
  const said = new Set(given.map((one) => JSON.stringify(one)))
  if (right.size === 0) return said.size === 0 ? all : none
  const hits = [...said].filter((one) => right.has(one)).length
  if (hits === 0) return none
  return { precision: hits / said.size, recall: hits / right.size, f1: (2 * hits) / (right.size + said.size) }
}

const all: Overlap = { precision: 1, recall: 1, f1: 1 }
const none: Overlap = { precision: 0, recall: 0, f1: 0 }

function sameStages(a: readonly (readonly string[])[], b: readonly (readonly string[])[]): boolean {
  return a.length === b.length && a.every((stage, at) => compare(stage, b[at]!).f1 === 1)
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length
}
