/** The q-quantile of numbers, by nearest rank. */
export function quantile(values, q) {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.ceil(q * sorted.length) - 1)]
}

export const median = (values) => quantile(values, 0.5)
