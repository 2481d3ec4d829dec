import { tellTaskCommand } from '../tell-task.js'

export const skipCommand = tellTaskCommand('skip', {
  summary: 'Leave out a task of a run that waits or goes on',
  notes: `
  What needs its result is not run; what only waits its turn goes on. For a call that was cut off and did take effect.`,
})
