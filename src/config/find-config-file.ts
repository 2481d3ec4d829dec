import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'

export interface FindConfigOptions {
  readonly file?: string | undefined
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string
  readonly home: string
}

/** The file that counts: the one asked for, whether it is there or not, else the first that exists. */
export function findConfigFile(options: FindConfigOptions): string | undefined {
  const places = configPlaces(options)
  return places.length === 1 ? places[0] : places.find((candidate) => existsSync(candidate))
}

/** Where a configuration may be, best first; one place alone where it was asked for. */
export function configPlaces({ file, env, cwd, home }: FindConfigOptions): readonly string[] {
  const asked = file ?? (env.PML_CONFIG || undefined)
  if (asked !== undefined) return [resolve(cwd, asked)]
  return [
    join(cwd, 'pml.config.yaml'),
    join(cwd, 'pml.config.yml'),
    join(cwd, 'pml.config.json'),
    join(home, 'pml.config.yaml'),
    join(home, 'pml.config.json'),
  ]
}
