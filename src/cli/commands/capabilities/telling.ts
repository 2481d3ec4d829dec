import { UsageError } from '../../../errors.js'
import type { NamedCapability } from '../../../gateway/capabilities-api.js'
import { writeOutUnseen } from '../../../gateway/write-out-unseen.js'
import type { HolderApi } from '../../../holder/holder-api.js'
import type { Risk } from '../../../model/risk.js'
import type { Colours } from '../../colour.js'
import { createAsk } from '../../init/ask.js'
import type { Io } from '../../io.js'

/** Whom to ask, whom to tell, and how. */
export interface Telling {
  readonly api: HolderApi
  readonly io: Io
  readonly json: boolean
  /** Whoever typed it has said yes. */
  readonly yes: boolean
}

/** A first `npx` of a server installs it. */
export const serversWithinMs = 20_000

export function pathOf(name: string, deed?: string): string {
  return `/api/capabilities/${encodeURIComponent(name)}${deed === undefined ? '' : `/${deed}`}`
}

/** Yes must be said: by --yes or at a terminal. */
export async function agrees(question: string, { io, yes }: Telling): Promise<boolean> {
  if (yes) return true
  if (io.stdin.isTTY !== true) throw new UsageError('There is no terminal to ask at.', 'Say it with: --yes')
  const ask = createAsk(io)
  try {
    return await ask.agrees(question)
  } finally {
    ask.close()
  }
}

/** What is gone has its id alone. */
export function nameOf({ id, name }: NamedCapability): string {
  return name === undefined ? `${id} (gone)` : name
}

/** For a terminal: nothing hides, tabs have a width. */
export function shown(text: string): string {
  return writeOutUnseen(text.replaceAll('\t', '  '))
}

export function riskIn(risk: Risk, { red, green, yellow }: Colours): string {
  return (risk === 'dangerous' ? red : risk === 'moderate' ? yellow : green)(risk)
}

/** `2026-01-02 03:04:05`, UTC. */
export function timeOf(at: number): string {
  return new Date(at).toISOString().slice(0, 19).replace('T', ' ')
}
