import { parseReference, type Step } from '../model/reference.js'

/** A path as sets write it: a key that has to be quoted in a reference, `["due date"]`, is the key itself. */
export function plainPath(path: string): string {
  const steps = pathSteps(path)
  return steps.length === 1 && steps[0]!.kind === 'key' ? steps[0]!.key : path
}

/** The parameter that a place in the arguments belongs to: `repo.id` is in `repo`. */
export function inputName(path: string): string {
  const [first] = pathSteps(path)
  return first?.kind === 'key' ? first.key : path
}

/** What is no path to us is a key, whatever it holds. */
export function pathSteps(path: string): readonly Step[] {
  if (path === '') return []
  try {
    return parseReference(`x${path.startsWith('[') ? '' : '.'}${path}`).path
  } catch {
    return [{ kind: 'key', key: path }]
  }
}

/** As references are written. */
export function joinSteps(task: string, steps: readonly Step[]): string {
  const written = steps.map((step) => {
    if (step.kind === 'each') return '[*]'
    if (step.kind === 'index') return `[${step.index}]`
    return /^[\w-]+$/.test(step.key) ? `.${step.key}` : `[${JSON.stringify(step.key)}]`
  })
  return task + written.join('')
}
