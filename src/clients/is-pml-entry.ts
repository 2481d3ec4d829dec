import { isLoopback } from '../model/is-loopback.js'
import { isObject } from '../model/json.js'

/** What PML is called in a client's file; the second where the first is somebody else's. */
export const pmlKeys = ['pml', 'casys-pml', 'casys-pml-gateway'] as const

const ownPort = '3939'
const ownProgram = /(?:^|[/\\])(?:casys-)?pml(?:\.js|\.cmd|\.exe)?$/i

/** True for an entry that starts or reaches PML itself: it is never taken as a server behind it. */
export function isPmlEntry(name: string, entry: unknown): boolean {
  if (!isObject(entry)) return false
  const command: unknown = isObject(entry.command) ? entry.command.path : entry.command
  const args: unknown = isObject(entry.command) ? entry.command.args : entry.args
  if (typeof command === 'string') {
    const words = [command, ...(Array.isArray(args) ? args.map(String) : [])]
    const program = words.findIndex((word) => ownProgram.test(word.replace(/@[\w.-]+$/, '')))
    return program >= 0 && words.slice(program + 1).includes('serve')
  }
  const url = entry.url ?? entry.serverUrl ?? entry.httpUrl
  if (typeof url !== 'string' || !URL.canParse(url)) return false
  const { hostname, pathname, port } = new URL(url)
  const ours = (pmlKeys as readonly string[]).includes(name) || port === ownPort
  return ours && isLoopback(hostname.replace(/^\[|\]$/g, '')) && pathname.replace(/\/$/, '') === '/mcp'
}
