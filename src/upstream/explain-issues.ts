import type { ErrorObject } from 'ajv'
import type { ArgumentIssue } from '../errors.js'
import { closestName } from '../model/closest-name.js'

const mostIssues = 10

/** ajv's errors as what a caller must change: where, and what was expected there. */
export function explainIssues(errors: readonly ErrorObject[]): readonly ArgumentIssue[] {
  const issues = new Map<string, ArgumentIssue>()
  for (const error of errors) {
    const issue = explain(error)
    if (issue !== undefined) issues.set(`${issue.path}\n${issue.expected}`, issue)
  }
  return [...issues.values()].slice(0, mostIssues)
}

function explain(error: ErrorObject): ArgumentIssue | undefined {
  const { instancePath: path, keyword, params } = error
  switch (keyword) {
    case 'required':
      return { path: `${path}/${pointer(params.missingProperty)}`, expected: 'is required' }
    case 'type':
      return { path, expected: `must be ${[params.type].flat().join(' or ')}` }
    case 'enum':
      return { path, expected: `must be one of ${listed(params.allowedValues)}` }
    case 'const':
      return { path, expected: `must be ${JSON.stringify(params.allowedValue)}` }
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return { path, expected: unknownProperty(error) }
    case 'pattern':
      return { path, expected: `must match the pattern ${params.pattern}` }
    case 'anyOf':
    case 'oneOf':
      return { path, expected: 'must match one of the allowed forms' }
    // Each says only that another error is one.
    case 'if':
    case 'propertyNames':
      return undefined
    default:
      return { path, expected: error.message ?? `must satisfy "${keyword}"` }
  }
}

function unknownProperty({ params, parentSchema }: ErrorObject): string {
  const name = String(params.additionalProperty ?? params.unevaluatedProperty)
  const allowed = Object.keys((parentSchema?.properties as object | undefined) ?? {})
  const closest = closestName(name, allowed)
  if (closest !== undefined) return `has no property "${name}"; did you mean "${closest}"?`
  const choice = allowed.length === 0 ? '' : `; it takes ${allowed.slice(0, 20).join(', ')}`
  return `has no property "${name}"${choice}`
}

function listed(values: unknown): string {
  const all = Array.isArray(values) ? values : [values]
  const shown = all.slice(0, 20).map((value) => JSON.stringify(value))
  return all.length > shown.length ? `${shown.join(', ')}, ...` : shown.join(', ')
}

function pointer(key: unknown): string {
  return String(key).replaceAll('~', '~0').replaceAll('/', '~1')
}
