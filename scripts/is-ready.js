import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

/**
 * True when node_modules holds what package-lock.json asks for. npm leaves its own list of what it installed in
 * node_modules/.package-lock.json; optional packages of other platforms are rightly absent from it.
 */
export function isInstalled(root) {
  const wanted = readPackages(join(root, 'package-lock.json'))
  const found = readPackages(join(root, 'node_modules/.package-lock.json'))
  if (wanted === undefined || found === undefined) return false
  return Object.entries(wanted).every(([path, { version, integrity, optional }]) => {
    if (path === '') return true
    const there = found[path]
    if (there === undefined) return optional === true
    return there.version === version && (integrity === undefined || there.integrity === integrity)
  })
}

/** True when every source has its output and no input of the build is newer than the oldest output. */
export function isBuilt(root) {
  const sources = files(join(root, 'src')).filter((file) => /(?<!\.d|\.test|\.contract)\.ts$/.test(file))
  const outputs = sources.map((file) => join(root, 'dist', `${file.slice(root.length + 5, -3)}.js`))
  if (sources.length === 0 || !outputs.every((file) => existsSync(file))) return false
  const inputs = [...sources, join(root, 'tsconfig.json'), join(root, 'tsconfig.build.json')]
  return Math.max(...inputs.map(modifiedAt)) <= Math.min(...outputs.map(modifiedAt))
}

function files(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
}

function modifiedAt(file) {
  return existsSync(file) ? statSync(file).mtimeMs : 0
}

function readPackages(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages
  } catch {
    return undefined
  }
}
