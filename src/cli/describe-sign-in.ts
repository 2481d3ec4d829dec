import type { SignInState } from '../auth/sign-in-state.js'
import { formatTable } from './format-table.js'

/** What is known of a server's sign-in; without one, what the server answered when it was asked. */
export type ListedSignIn = SignInState | { readonly state: 'open' | 'unreachable' }

export interface SignInRow {
  readonly name: string
  readonly signIn: ListedSignIn
}

export function signInTable(rows: readonly SignInRow[], width: number | undefined): string {
  if (rows.length === 0) return 'No server is reached over HTTP, so there is nowhere to sign in to.'
  const cells = rows.map(({ name, signIn }) => [
    name,
    words[signIn.state].replace('NAME', name),
    until(signIn),
    scopes(signIn),
  ])
  return formatTable(['SERVER', 'SIGN-IN', 'UNTIL', 'SCOPES'], cells, width)
}

export function describeSignIn(name: string, signIn: ListedSignIn): string {
  if (signIn.state === 'open') return `${name} asks nobody to sign in: call its tools.`
  if (signIn.state === 'none') return `Not signed in to ${name}: there was nothing to forget.`
  if (signIn.state !== 'signed-in') return `Signed out of ${name}.`
  const time = until(signIn)
  const scope = signIn.scope === undefined ? '' : ` Scopes: ${signIn.scope}.`
  return `Signed in to ${name}${time === '' ? '' : ` until ${time}`}.${scope}`
}

const words: Readonly<Record<ListedSignIn['state'], string>> = {
  'signed-in': 'signed in',
  needed: 'needed: pml auth NAME',
  none: 'not known',
  open: 'not needed',
  unreachable: 'not known: it does not answer',
  header: 'by the configured header',
  off: 'never (auth: none)',
  broken: 'its file cannot be read: pml auth NAME',
}

function until(signIn: ListedSignIn): string {
  if (!('expiresAt' in signIn) || signIn.expiresAt === undefined) return ''
  const time = new Date(signIn.expiresAt).toISOString().slice(0, 16).replace('T', ' ')
  return `${time} UTC${signIn.renewable ? ', then renewed' : ''}`
}

function scopes(signIn: ListedSignIn): string {
  if (!('issuer' in signIn)) return ''
  const { scope = '', wantedScope } = signIn
  return wantedScope === undefined ? scope : `${scope} (a call wanted ${wantedScope})`.trim()
}
