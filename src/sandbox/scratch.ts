import { mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hiddenModules } from './hidden-modules.js'
import { sandboxRunner } from './sandbox-runner.js'
import { sandboxWorker } from './sandbox-worker.js'

/** The one directory of this process for all that its children need on disk. */
export interface Scratch {
  readonly path: string
  /** The entry module of each child. */
  readonly runner: string
  readonly importMap: string
  /** Empty, and where children stand. */
  readonly workingDirectory: string
  /** A fresh name for the DENO_DIR of one child. */
  denoDirectory(): string
  remove(): Promise<void>
  /** As far as it can be: the next process sweeps up. */
  removeNow(): void
}

/** Removes first what processes that are gone have left: nobody can clean up after being killed. */
export function openScratch(parent = tmpdir(), worker = `(${sandboxWorker})()`): Scratch {
  sweep(parent)
  const path = mkdtempSync(join(parent, `${prefix()}${process.pid}-`))
  const runner = join(path, 'runner.js')
  const importMap = join(path, 'modules.json')
  const workingDirectory = join(path, 'empty')
  writeFileSync(runner, `(${sandboxRunner})(${JSON.stringify(worker)})`)
  writeFileSync(importMap, JSON.stringify(hiddenModules))
  mkdirSync(workingDirectory)
  let count = 0
  return {
    path,
    runner,
    importMap,
    workingDirectory,
    denoDirectory: () => join(path, `deno-${++count}`),
    remove: () => rm(path, { recursive: true, force: true, maxRetries: 5 }),
    removeNow: () => removeQuietly(path),
  }
}

function sweep(parent: string): void {
  for (const name of readdirSync(parent)) {
    if (!name.startsWith(prefix())) continue
    const pid = Number(name.slice(prefix().length).split('-')[0])
    if (!Number.isSafeInteger(pid) || pid <= 0 || isAlive(pid)) continue
    removeQuietly(join(parent, name))
  }
}

/** It may be somebody else's, or still written to. */
function removeQuietly(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true })
  } catch {}
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

/** A process id means something within its namespace alone, and containers may share this directory. */
function prefix(): string {
  try {
    return `pml-sandbox-${readlinkSync('/proc/self/ns/pid').replace(/\D/g, '')}-`
  } catch {
    return 'pml-sandbox-'
  }
}
