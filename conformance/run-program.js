import { spawn } from 'node:child_process'

/** Runs a program to its end, which comes by force when `timeoutMs` is over or `signal` says so. */
export function runProgram(command, args, { timeoutMs, signal, ...options }) {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    let output = ''
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options })
    const keep = (chunk) => {
      output = (output + chunk).slice(-200_000)
    }
    child.stdout.on('data', keep)
    child.stderr.on('data', keep)
    const kill = () => child.kill('SIGKILL')
    const timer = setTimeout(kill, timeoutMs)
    signal?.addEventListener('abort', kill)
    const over = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', kill)
    }
    child.once('error', (error) => {
      over()
      reject(error)
    })
    child.once('close', (code) => {
      over()
      resolve({ code, output })
    })
  })
}
