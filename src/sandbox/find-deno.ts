import { accessSync, constants } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/**
 * Deno's binary, as npm brought it: the package `deno` has one package for each platform. Nothing is run to find it, and no other Deno
 * of this machine is taken: the traps are tested with one version.
 */
export function findDeno(): string | undefined {
  const fromHere = createRequire(import.meta.url)
  for (const name of platformPackages()) {
    for (const load of [fromHere, requireOf(fromHere, 'deno')]) {
      const path = load && binaryOf(load, name)
      if (path !== undefined) return path
    }
  }
  return undefined
}

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

function platformPackages(): readonly string[] {
  const base = `@deno/${process.platform}-${process.arch}`
  return process.platform === 'linux' ? [`${base}-glibc`] : [base]
}

/** Where a package manager keeps the packages of a package apart, only that package sees them. */
function requireOf(load: NodeJS.Require, name: string): NodeJS.Require | undefined {
  try {
    return createRequire(load.resolve(`${name}/package.json`))
  } catch {
    return undefined
  }
}

function binaryOf(load: NodeJS.Require, name: string): string | undefined {
  try {
    const directory = dirname(load.resolve(`${name}/package.json`))
    const path = join(directory, process.platform === 'win32' ? 'deno.exe' : 'deno')
    return isExecutable(path) ? path : undefined
  } catch {
    return undefined
  }
}
