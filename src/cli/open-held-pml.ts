import type { Duplex } from 'node:stream'
import { demoConfig } from '../config/demo-config.js'
import { findConfigFile } from '../config/find-config-file.js'
import { loadConfig } from '../config/load-config.js'
import { watchConfig } from '../config/watch-config.js'
import type { HeldGateway } from '../holder/join-holder.js'
import type { PmlConfig } from '../model/config.js'
import type { Log } from '../model/log.js'
import { createPml, type Pml } from '../pml.js'
import type { GatewayArgs } from './run-gateway.js'

export interface HeldPml extends HeldGateway {
  readonly pml: Pml
  config(): PmlConfig
  /** Told where HTTP listens, for `pml status`. */
  announce(url: string): void
}

export interface HeldPmlOptions {
  readonly directory: string
  readonly args: GatewayArgs
  readonly log: Log
  onProgress(step: string): void
}

/** Reads the configuration, opens the gateway with it, and takes up its changes while it runs. */
export async function openHeldPml(options: HeldPmlOptions): Promise<HeldPml> {
  const { directory, args, log } = options
  const place = { env: process.env, cwd: process.cwd(), home: directory, ...(args.config === undefined ? {} : { file: args.config }) }
  const file = findConfigFile(place)
  const load = async (): Promise<PmlConfig> => {
    const config = file === undefined ? await demoConfig(directory) : await loadConfig({ ...place, file })
    return args.exposure === undefined ? config : { ...config, exposure: args.exposure }
  }
  let config = await load()
  const pml = createPml({
    config,
    dataDirectory: directory,
    ...(process.env.DATABASE_URL ? { databaseUrl: process.env.DATABASE_URL } : {}),
    log,
    onProgress: options.onProgress,
  })
  const watch =
    file === undefined
      ? undefined
      : watchConfig(file, load, {
          onConfig(next) {
            config = next
            void pml.reconfigure(next)
          },
          onError: (error) => log.error('the changed configuration is not used', { error: error.message }),
        })
  return {
    pml,
    config: () => config,
    announce: (url) => pml.gateway.announce(url),
    handle: (request, response, via) => pml.gateway.handle(request, response, via),
    serveStream: (stream: Duplex) => void pml.gateway.serveStream(stream, stream),
    async close() {
      watch?.close()
      await pml.close()
    },
  }
}
