import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'

export interface FindConfigOptions {
  readonly file?: string | undefined
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string
  readonly home: string
}

/** The file that counts: the one asked for, whether it is there or not, else the first that exists. */
export function findConfigFile({ file, env, cwd, home }: FindConfigOptions): string | undefined {
  const asked = file ?? (env.PML_CONFIG || undefined)
  if (asked !== undefined) return resolve(cwd, asked)
  return [
    join(cwd, 'pml.config.yaml'),
    join(cwd, 'pml.config.yml'),
    join(cwd, 'pml.config.json'),
    join(home, 'pml.config.yaml'),
    join(home, 'pml.config.json'),
  ].find((candidate) => existsSync(candidate))
}
