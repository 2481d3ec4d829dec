import { spawn } from 'node:child_process'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = dirname(dirname(fileURLToPath(import.meta.url)))
export const tsc = join(root, 'node_modules/typescript/bin/tsc')
export const vitest = join(root, 'node_modules/vitest/vitest.mjs')
export const biome = join(root, 'node_modules/@biomejs/biome/bin/biome')

/** Runs a program in the repository with our own input and output; gives its exit code. Signals are passed on. */
export function run(command, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: root, stdio: 'inherit', ...options })
    const pass = (signal) => child.kill(signal)
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
    for (const signal of signals) process.on(signal, pass)
    child.once('error', reject)
    child.once('close', (code, signal) => {
      for (const name of signals) process.off(name, pass)
      resolve(code ?? (signal === 'SIGINT' ? 130 : 143))
    })
  })
}

/** A step with its name and time on standard error; ends the process with the step's code when it fails. */
export async function step(name, command, args, options) {
  const start = performance.now()
  process.stderr.write(`${name} ...\n`)
  const code = await run(command, args, options)
  const seconds = ((performance.now() - start) / 1000).toFixed(1)
  process.stderr.write(`${name}: ${code === 0 ? 'done' : `failed (exit ${code})`} in ${seconds} s\n`)
  if (code !== 0) process.exit(code)
}
