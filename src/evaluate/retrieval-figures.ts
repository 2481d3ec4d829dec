/** How good rankings are, against the tools that were wanted. All shares are fractions of 1. */
export interface RetrievalFigures {
  readonly queries: number
  /** Mean share of the wanted tools among the first k. */
  readonly 'recall@1': number
  readonly 'recall@5': number
  readonly 'recall@10': number
  /** Binary gains. K. Järvelin, J. Kekäläinen, "Cumulated gain-based evaluation of IR techniques", TOIS 2002. */
  readonly 'ndcg@10': number
  /** Mean of 1 / rank of the first wanted tool. */
  readonly mrr: number
  /** Share of requests with every wanted tool among the first ten. */
  readonly 'all_gold@10': number
}

export interface Ranking {
  readonly gold: readonly string[]
  /** Best first. */
  readonly ranked: readonly string[]
}

export function retrievalFigures(rankings: readonly Ranking[]): RetrievalFigures {
  const mean = (value: (ranking: Ranking) => number): number =>
    rankings.length === 0 ? 0 : rankings.reduce((sum, ranking) => sum + value(ranking), 0) / rankings.length
  return {
    queries: rankings.length,
    'recall@1': mean((ranking) => recall(ranking, 1)),
    'recall@5': mean((ranking) => recall(ranking, 5)),
    'recall@10': mean((ranking) => recall(ranking, 10)),
    'ndcg@10': mean(({ gold, ranked }) => {
      const found = ranked.slice(0, 10).map((id) => gold.includes(id))
      return gain(found) / gain(Array<boolean>(Math.min(10, gold.length)).fill(true))
    }),
    mrr: mean(({ gold, ranked }) => {
      const rank = ranked.findIndex((id) => gold.includes(id))
      return rank < 0 ? 0 : 1 / (rank + 1)
    }),
    'all_gold@10': mean((ranking) => (recall(ranking, 10) === 1 ? 1 : 0)),
  }
}

function recall({ gold, ranked }: Ranking, k: number): number {
  const first = new Set(ranked.slice(0, k))
  return gold.filter((id) => first.has(id)).length / gold.length
}

function gain(found: readonly boolean[]): number {
  return found.reduce((sum, hit, rank) => sum + (hit ? 1 / Math.log2(rank + 2) : 0), 0)
}
