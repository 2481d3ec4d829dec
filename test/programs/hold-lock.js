// Takes the lock of a directory many times and writes to a journal when it has it and when it lets go, sometimes by dying.
import { appendFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { takeLock } from '../../dist/holder/take-lock.js'

const [, , directory, journal, rounds] = process.argv
for (let round = 0; round < Number(rounds); ) {
  const lock = takeLock(directory, { role: 'gateway', config: 'none' })
  if (!lock.held) {
    await sleep(Math.random() * 3)
    continue
  }
  appendFileSync(journal, `begin ${process.pid}\n`)
  await sleep(Math.random() * 3)
  appendFileSync(journal, `end ${process.pid}\n`)
  if (Math.random() < 0.1) process.kill(process.pid, 'SIGKILL')
  lock.release()
  round++
}
