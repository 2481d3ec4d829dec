import type { TextParameter } from './database.js'

/** A parameter as PostgreSQL reads it from text; null stands for itself. */
export function toLiteral(parameter: TextParameter): string | null {
  if (parameter === null) return null
  if (typeof parameter !== 'object') return String(parameter)
  return `{${parameter.map(toElement).join(',')}}`
}

/** In quotes, only the quote and the backslash have a meaning. */
function toElement(element: string | number | boolean | null): string {
  if (element === null) return 'NULL'
  return typeof element === 'string' ? `"${element.replace(/["\\]/g, '\\$&')}"` : String(element)
}
