import type { Undo } from '../../clients/undo-changes.js'

const done = { restored: 'restored', removed: 'removed', unchanged: 'is as it was' }
const would = { restored: 'would be restored', removed: 'would be removed', unchanged: 'is as it was' }

export function describeUndo(undone: Undo | undefined, dryRun: boolean): string {
  if (undone === undefined) return 'There is no init to take back.'
  const words = dryRun ? would : done
  const lines = undone.files.map(({ path, result, backup }) => {
    if (result !== 'changed') return `  ${words[result]}: ${path}`
    const copy = backup === undefined ? 'it was not there before' : `as it was: ${backup}`
    return `  changed since, left alone: ${path}\n    ${copy}`
  })
  const kept = undone.files.some(({ result }) => result === 'changed')
  const hint = kept ? ['Restore these too with: pml init --undo --force'] : []
  return [`The init of ${undone.at}`, ...lines, ...hint].join('\n')
}
