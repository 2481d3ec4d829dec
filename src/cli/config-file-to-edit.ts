import { join } from 'node:path'
import { dataDirectory } from '../config/data-directory.js'
import { findConfigFile } from '../config/find-config-file.js'
import type { Io } from './io.js'

/** The file in force, or the one that will be: a new one in the data directory, where every client finds it. */
export function configFileToEdit(io: Io, file: string | undefined): string {
  const home = dataDirectory(io.env)
  return findConfigFile({ file, env: io.env, cwd: io.cwd, home }) ?? join(home, 'pml.config.yaml')
}
