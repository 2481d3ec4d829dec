/** The catalogue that serves while there is no configuration, so that the first five minutes show something useful. */

import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { cp, mkdir, rename, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { PmlConfig } from '../model/config.js'
import { fillConfig } from './fill-config.js'

/** Two folders up from src/config as from dist/config. */
const packageRoot = fileURLToPath(new URL('../../', import.meta.url))

export async function demoConfig(home: string): Promise<PmlConfig> {
  const folder = await copyDemoFolder(home)
  const servers = {
    everything: serverProgram('@modelcontextprotocol/server-everything', ['stdio']),
    files: serverProgram('@modelcontextprotocol/server-filesystem', [folder]),
    memory: {
      ...serverProgram('@modelcontextprotocol/server-memory', []),
      env: { MEMORY_FILE_PATH: join(home, 'demo-memory.jsonl') },
    },
  }
  return fillConfig(
    { servers },
    {
      file: 'demo',
      lineOf: () => undefined,
      env: process.env,
      secrets: {},
      ours: true,
      strict: false,
      onWarning: () => {},
    },
  )
}

/** Copied once and then the user's own. Renamed into place, so that a second process never sees half of it. */
async function copyDemoFolder(home: string): Promise<string> {
  const folder = join(home, 'demo')
  if (existsSync(folder)) return folder
  await mkdir(home, { recursive: true, mode: 0o700 })
  const half = join(home, `demo.${randomUUID()}.tmp`)
  await cp(join(packageRoot, 'demo'), half, { recursive: true })
  try {
    await rename(half, folder)
  } catch (error) {
    await rm(half, { recursive: true, force: true })
    if (!existsSync(folder)) throw error
  }
  return folder
}

/** The copy beside us where there is one (a checkout), else npx fetches it. */
function serverProgram(name: string, args: readonly string[]): { command: string; args: string[] } {
  const entry = installedProgram(name)
  if (entry === undefined) return { command: 'npx', args: ['-y', name, ...args] }
  return { command: process.execPath, args: [entry, ...args] }
}

function installedProgram(name: string): string | undefined {
  try {
    const manifestFile = createRequire(import.meta.url).resolve(`${name}/package.json`)
    const { bin } = JSON.parse(readFileSync(manifestFile, 'utf8')) as { bin: Record<string, string> }
    const entry = Object.values(bin)[0]
    return entry === undefined ? undefined : join(dirname(manifestFile), entry)
  } catch {
    return undefined
  }
}
