import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { basename } from 'node:path'
import { endLeftovers, endWithUs } from './end-process.js'

/** What the login shell would give a program to find others by, or why it did not say. */
export type ShellPath =
  | { readonly shell: string; readonly path: string }
  | { readonly shell: string; readonly trouble: string }

export interface ShellPathOptions {
  readonly shell: string
  readonly env: NodeJS.ProcessEnv
  readonly timeoutMs: number
}

/** Noise of rc files beyond this is no noise any more. */
const mostOutputBytes = 1024 * 1024

/**
 * Asks the user's shell for its PATH as a terminal has it: as a login shell and, because nvm and its like live in the
 * files of interactive ones, as an interactive one too. The shell has no terminal and no input, leads a process group
 * of its own that is killed afterwards, and what it says counts only between two marks.
 */
export async function loginShellPath(options: ShellPathOptions): Promise<ShellPath> {
  const { shell } = options
  const mark = `pml-${randomUUID()}`
  const ways = waysToAsk(basename(shell), `/bin/sh -c 'printf "%s" "${mark}\${PATH}${mark}"'`)
  if (ways === undefined) return { shell, trouble: 'is not a shell we know how to ask' }
  const deadline = Date.now() + options.timeoutMs
  let answer: Answer = { trouble: '' }
  for (const args of ways) {
    answer = await ask(args, mark, { ...options, timeoutMs: Math.max(1, deadline - Date.now()) })
    if ('path' in answer || answer.hung) break
  }
  return 'path' in answer ? { shell, path: answer.path } : { shell, trouble: answer.trouble }
}

type Answer = { readonly path: string } | { readonly trouble: string; readonly hung?: boolean }

/** The question is put by /bin/sh inside, so that shells with another idea of `$PATH` need no words of their own. */
function waysToAsk(name: string, question: string): readonly (readonly string[])[] | undefined {
  if (/^(?:ba|z|da|a|k|mk|fi)?sh$|^ksh93$/.test(name))
    return [
      ['-ilc', question],
      ['-lc', question],
    ]
  if (/^t?csh$/.test(name)) return [['-ic', question]]
  if (name === 'nu') return [['-l', '-c', `^${question}`]]
  if (name === 'pwsh') return [['-Login', '-NonInteractive', '-Command', `& ${question}`]]
  return undefined
}

function ask(
  args: readonly string[],
  mark: string,
  { shell, env, timeoutMs }: ShellPathOptions,
): Promise<Answer> {
  return new Promise((resolve) => {
    const child = spawn(shell, args, {
      env: shellEnvironment(env),
      stdio: ['ignore', 'pipe', 'ignore'],
      detached: true,
    })
    endWithUs(child)
    let said = ''
    const end = (answer: Answer): void => {
      clearTimeout(timer)
      endLeftovers(child)
      child.stdout?.destroy()
      child.unref()
      resolve(answer)
    }
    const timer = setTimeout(
      () => end({ trouble: `did not answer within ${timeoutMs} ms`, hung: true }),
      timeoutMs,
    )
    child.stdout?.setEncoding('utf8')
    child.stdout?.on('data', (text: string) => {
      said += text
      const path = between(said, mark)
      if (path !== undefined) end({ path })
      else if (said.length > mostOutputBytes) end({ trouble: 'writes without end', hung: true })
    })
    child.once('error', (error: NodeJS.ErrnoException) =>
      end({ trouble: `cannot be started (${error.code})`, hung: true }),
    )
    onceOver(child, (how) => end({ trouble: `ended without an answer (${how})` }))
  })
}

/** Without npm's own settings, which nvm refuses to work beside. Rc files may look at PML_READS_PATH and be brief. */
function shellEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const ours = Object.entries(env).filter(([name]) => !name.toLowerCase().startsWith('npm_'))
  return { ...Object.fromEntries(ours), TERM: 'dumb', PML_READS_PATH: '1' }
}

/** `close` and not `exit`: what was said may still be in the pipe. */
function onceOver(child: ChildProcess, tell: (how: string) => void): void {
  child.once('close', (code, signal) => tell(signal ?? `code ${code}`))
}

function between(text: string, mark: string): string | undefined {
  const start = text.indexOf(mark)
  const end = start < 0 ? -1 : text.indexOf(mark, start + mark.length)
  return end < 0 ? undefined : text.slice(start + mark.length, end)
}
