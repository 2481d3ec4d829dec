import type { ArgsDef, ParsedArgs } from 'citty'
import type { HolderApi } from '../holder/holder-api.js'
import type { ExposureMode } from '../model/config.js'
import type { Io } from './io.js'

/** One sub-command: what citty parses, what its help shows, and what it does. */
export interface CliCommand<Args extends ArgsDef = ArgsDef> {
  readonly name: string
  readonly summary: string
  readonly args: Args
  /** Any number of words may follow its positionals. */
  readonly takesMore?: true
  /** What the options alone do not show of its usage. */
  readonly usageTail?: string
  /** Whole command lines; each is shown by --help. */
  readonly examples: readonly string[]
  /** What the options alone do not tell. */
  readonly notes?: string
  /** Gives the exit code; nothing is 0. */
  run(context: CommandContext<Args>): Promise<number | undefined>
}

export interface CommandContext<Args extends ArgsDef = ArgsDef> {
  readonly args: ParsedArgs<Args>
  /** As typed, without what follows `--`: for options that may be given several times. */
  readonly rawArgs: readonly string[]
  readonly afterDashes: readonly string[]
  readonly io: Io
  readonly gateway: GatewayAccess
}

/** The ways to a gateway; loaded when first used, so that `pml add` opens none of it. */
export interface GatewayAccess {
  withGateway<T>(args: GatewayChoice, use: (api: HolderApi) => Promise<T>): Promise<T>
  serveStdioClient(args: GatewayChoice): Promise<void>
  openHttpFront(args: HttpChoice, onProgress: (step: string) => void): Promise<HttpFront>
}

export interface GatewayChoice {
  readonly config?: string
  readonly exposure?: ExposureMode
  /** Says itself all that is wrong: only faults are logged, unless PML_LOG asks for more. */
  readonly quiet?: boolean
  /** The command is asked to stop: done while the gateway is still there. */
  readonly beforeStop?: () => Promise<unknown>
}

export interface HttpChoice extends GatewayChoice {
  readonly port?: number
  readonly host?: string
  /** An address where the gateway listens already will do. */
  readonly mayReuse?: boolean
}

export interface HttpFront {
  readonly url: string
  /** False when the gateway was listening there before: nothing was opened, and nothing has to be waited for. */
  readonly isNew: boolean
  /** True when this very process holds the gateway, false when it leads to another one that does. */
  readonly here: boolean
  readonly holderPid: number
  /** Where this process holds: tells of each server as it comes up, until all have or time is up. */
  reportStart(onNote: (text: string) => void, withinMs: number): Promise<void>
  /** Resolves when the process was asked to stop. */
  readonly stopped: Promise<void>
  close(): Promise<void>
}

export const commonArgs = {
  config: {
    type: 'string',
    valueHint: 'file',
    description: 'Configuration file (else PML_CONFIG, ./pml.config.yaml, the data directory)',
  },
  exposure: {
    type: 'enum',
    options: ['auto', 'meta', 'proxy', 'hybrid'],
    description: 'What clients see, instead of what the configuration says',
  },
  json: { type: 'boolean', description: 'Print JSON for programs' },
} as const satisfies ArgsDef

export function defineCliCommand<const Args extends ArgsDef>(command: CliCommand<Args>): CliCommand<Args> {
  return command
}

export function gatewayChoice(args: {
  config?: string | undefined
  exposure?: string | undefined
}): GatewayChoice {
  return {
    ...(args.config === undefined ? {} : { config: args.config }),
    ...(args.exposure === undefined ? {} : { exposure: args.exposure as ExposureMode }),
  }
}
