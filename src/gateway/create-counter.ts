/** A count that only grows, told as Prometheus reads it (text format 0.0.4: https://prometheus.io/docs/instrumenting/exposition_formats). */
export interface Counter {
  add(labels: Readonly<Record<string, string>>, by?: number): void
  render(): string
}

export const metricsType = 'text/plain; version=0.0.4; charset=utf-8'

/** The caller sees to it that there are not too many labels: each of them is a line for ever. */
export function createCounter(name: string, help: string): Counter {
  const counts = new Map<string, number>()
  return {
    add(labels, by = 1) {
      // Who reads it takes a count that fell for a new process.
      if (!(by > 0 && by < Number.POSITIVE_INFINITY)) return
      const key = formatLabels(labels)
      counts.set(key, (counts.get(key) ?? 0) + by)
    },
    render() {
      const lines = [...counts].map(([labels, count]) => `${name}${labels} ${count}\n`)
      return `# HELP ${name} ${help}\n# TYPE ${name} counter\n${lines.join('')}`
    },
  }
}

function formatLabels(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '"': '\\"', '\n': '\\n' }

function escapeLabel(value: string): string {
  return value.replace(/[\\"\n]/g, (one) => escapes[one]!)
}
