import type { ArgsDef } from 'citty'
import { UsageError } from '../errors.js'
import type { HttpChoice } from './cli-command.js'

export const httpArgs = {
  port: { type: 'string', valueHint: 'number', description: 'Port; 0 takes any free one (else http.port)' },
  host: { type: 'string', valueHint: 'address', description: 'Address to listen on (else http.host)' },
} as const satisfies ArgsDef

export function httpChoice(args: { port?: string | undefined; host?: string | undefined }): HttpChoice {
  return {
    ...(args.port === undefined ? {} : { port: portOf(args.port) }),
    ...(args.host === undefined ? {} : { host: args.host }),
  }
}

function portOf(text: string): number {
  const port = Number(text)
  if (/^\d+$/.test(text) && port <= 65_535) return port
  throw new UsageError(`--port: expected a number from 0 to 65535, got "${text}".`)
}
