import type { Intent } from './read-intent.js'

/** Two requests as one, the clauses of each as they were read: what the second says never becomes a part of the first. */
export function joinIntents(first: Intent, second: Intent): Intent {
  const before = first.text.trimEnd() === '' ? '' : `${first.text.trimEnd().replace(/[.!?]*$/, '.')} `
  const shift = <T extends { readonly start: number; readonly end: number }>(one: T): T => ({
    ...one,
    start: one.start + before.length,
    end: one.end + before.length,
  })
  return {
    text: before + second.text,
    isCut: second.isCut,
    clauses: [
      ...(before === '' ? [] : first.clauses),
      ...second.clauses.map((clause) => ({
        ...clause,
        start: clause.start + before.length,
        words: clause.words.map((word) => ({ ...word, at: word.at + before.length })),
        literals: clause.literals.map(shift),
      })),
    ],
  }
}
