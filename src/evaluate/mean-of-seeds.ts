/** Reports of one bench under several seeds in one: means, and how far the seeds lie apart. */
export type OverSeeds<Report> = Report & {
  /** Largest less smallest, of each figure that is a number. */
  readonly spread: Readonly<Record<string, number>>
}

export function meanOfSeeds<Report extends object>(reports: readonly Report[]): OverSeeds<Report> {
  const [first] = reports
  if (first === undefined) throw new Error('There is no mean of no reports.')
  const numbers = Object.keys(first).filter((key) =>
    reports.every((report) => typeof valueIn(report, key) === 'number'),
  )
  const spread = numbers.map((key) => {
    const values = reports.map((report) => valueIn(report, key) as number)
    return [key, Math.max(...values) - Math.min(...values)] as const
  })
  return { ...(meanOf(reports) as Report), spread: Object.fromEntries(spread) }
}

/** Numbers are averaged wherever they stand, lists of numbers place by place; lists of texts are joined, each once. */
function meanOf(values: readonly unknown[]): unknown {
  const [first] = values
  if (values.every((value) => typeof value === 'number'))
    return values.reduce((sum, value) => sum + value, 0) / values.length
  if (values.every(Array.isArray))
    return values.flat().every((item) => typeof item === 'number')
      ? (first as unknown[]).map((_, at) => meanOf(values.map((list) => list[at])))
      : [...new Set(values.flat())]
  if (values.every(isRecord))
    return Object.fromEntries(
      Object.keys(first as object).map((key) => [key, meanOf(values.map((value) => value[key]))]),
    )
  // Of figures that only some seeds have there is no mean.
  return values.every((value) => value === first) ? first : null
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function valueIn(report: object, key: string): unknown {
  return (report as Record<string, unknown>)[key]
}
