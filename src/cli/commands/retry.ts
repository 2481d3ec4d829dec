import { tellTaskCommand } from '../tell-task.js'

export const retryCommand = tellTaskCommand('retry', {
  summary: 'Have a task of a run done again',
  notes: `
  For a task that failed, was skipped or was cut off, also of a run that has ended; with it, all that it kept from running.
  What ended well stays.`,
})
