import type { Undo, UndoneFile, UndoResult } from '../../clients/undo-changes.js'

type Words = Readonly<Record<UndoResult, string>>

const left = {
  unchanged: 'is as it was',
  changed: 'changed since, left alone',
  kept: 'kept, because what is left alone needs it',
}
const done: Words = {
  ...left,
  restored: 'restored',
  'servers-restored': 'its servers restored, the rest is as it was changed since',
  removed: 'removed',
}
const would: Words = {
  ...left,
  restored: 'would be restored',
  'servers-restored': 'its servers would be restored, the rest was changed since and stays',
  removed: 'would be removed',
}

export function describeUndo(undone: Undo | undefined, dryRun: boolean): string {
  if (undone === undefined) return 'There is no init to take back.'
  const words = dryRun ? would : done
  const lines = undone.files.flatMap((file) => [
    `  ${words[file.result]}: ${file.path}`,
    ...copies(file).map((copy) => `    ${copy}`),
  ])
  const incomplete = undone.files.some(({ result }) => result === 'changed')
  const hint = incomplete ? ['Restore these too with: pml init --undo --force'] : []
  return [`The init of ${undone.at}`, ...lines, ...hint].join('\n')
}

function copies({ result, backup, since }: UndoneFile): readonly string[] {
  if (result === 'changed') return [backup === undefined ? 'it was not there before' : `as it was: ${backup}`]
  return since === undefined ? [] : [`as it was until now: ${since}`]
}
