import { findSecrets, isSecret } from '../../clients/find-secrets.js'
import { redactedMark as hidden } from '../../model/redact.js'

/** `"KEY": "value"`, `KEY = "value"` and `"--key", "value"`: what the formats say of themselves. */
const pair = /(["']?)([\w.-]+)\1(\s*[:=]\s*)"((?:[^"\\]|\\.)*)"/g
const option = /"--?([\w-]+)"(\s*,\s*)"((?:[^"\\]|\\.)*)"/g

/**
 * A line of a file for a person's eyes: every secret we know of, as any of the formats would write it, is blotted out, and
 * so is what looks like one, because servers that are left alone have secrets too.
 */
export function createHideSecrets(values: readonly string[]): (line: string) => string {
  const forms = new Set(values.flatMap((value) => [value, JSON.stringify(value).slice(1, -1)]))
  forms.delete('')
  const patterns = [...forms]
    .sort((a, b) => b.length - a.length)
    .map((form) => {
      const exact = form.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
      // A short one would blot out parts of other words.
      return new RegExp(form.length < 6 ? `(?<![A-Za-z0-9])${exact}(?![A-Za-z0-9])` : exact, 'g')
    })
  return (line) => hideLikely(patterns.reduce((clean, pattern) => clean.replace(pattern, hidden), line))
}

function hideLikely(line: string): string {
  const named = line
    .replace(pair, (whole, quote, name, between, value) =>
      hides(name, value) ? `${quote}${name}${quote}${between}"${hidden}"` : whole,
    )
    .replace(option, (whole, name, between, value) =>
      hides(name, value) ? `"--${name}"${between}"${hidden}"` : whole,
    )
  return findSecrets(named, { kind: 'argument' }, false)
    .toReversed()
    .reduce((text, { start, end }) => text.slice(0, start) + hidden + text.slice(end), named)
}

/** References to variables are no secrets, and worth seeing. */
function hides(name: string, value: string): boolean {
  return !value.includes(hidden) && !/\$\{/.test(value) && isSecret(name, value)
}
