/**
 * Reads the configuration, once, at the edge: our YAML or any client's JSON in, PmlConfig with every default filled in
 * out, or a ConfigError with file, line and what was expected. Starts nothing and talks to no server.
 */
import { readFile } from 'node:fs/promises'
import { ConfigError } from '../errors.js'
import type { ExposureMode, PmlConfig } from '../model/config.js'
import { isObject } from '../model/json.js'
import { isJsonFile, parseConfigText } from './config-text.js'
import { demoConfig } from './demo-config.js'
import { fillConfig } from './fill-config.js'
import { findConfigFile } from './find-config-file.js'
import { readSecretsFile } from './read-secrets-file.js'

export interface LoadConfigOptions {
  readonly file?: string | undefined
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string
  /** The data directory, see data-directory.ts. */
  readonly home: string
  readonly exposure?: ExposureMode | undefined
  /** Where warnings would go unseen: a missing variable is an error. */
  readonly strict?: boolean
  /** What is odd but no reason to leave the other servers without service. */
  readonly onWarning?: (warning: ConfigError) => void
}

export async function loadConfig(options: LoadConfigOptions): Promise<PmlConfig> {
  const file = findConfigFile(options)
  const config = file === undefined ? await demoConfig(options.home) : await loadFile(file, options)
  return options.exposure === undefined ? config : { ...config, exposure: options.exposure }
}

async function loadFile(file: string, options: LoadConfigOptions): Promise<PmlConfig> {
  const { value, lineOf } = await parseConfigText(await read(file), file)
  const onWarning = options.onWarning ?? (() => {})
  const config = fillConfig(value, {
    file,
    lineOf,
    env: options.env,
    ours: !isJsonFile(file) || !hasKey(value, 'mcpServers'),
    strict: options.strict ?? false,
    secrets: await readSecretsFile(options.home, onWarning),
    onWarning,
  })
  // A file that chooses a model and no more, as `pml model use` makes it, says nothing of servers.
  if (!isObject(value) || Object.keys(value).some((key) => key !== 'search') || !hasKey(value, 'search'))
    return config
  return { ...config, servers: (await demoConfig(options.home)).servers }
}

async function read(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code
    const what = code === 'ENOENT' ? 'there is none' : code === 'EISDIR' ? 'it is a folder' : String(code)
    throw new ConfigError(file, undefined, `expected a configuration file, but ${what}`, { cause })
  }
}

function hasKey(value: unknown, key: string): boolean {
  return value !== null && typeof value === 'object' && Object.hasOwn(value, key)
}
