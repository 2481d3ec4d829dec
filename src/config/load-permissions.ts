/**
 * Reads mcp-permissions.yaml: beside the configuration, else in the data directory. It is optional: where there is none, nobody has said
 * anything.
 */
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ConfigError } from '../errors.js'
import { closestName } from '../model/closest-name.js'
import { isObject } from '../model/json.js'
import { noPermissions, type Permissions } from '../model/permissions.js'
import { parseToolId } from '../model/tool.js'
import { type ConfigText, type Path, parseConfigText } from './config-text.js'
import { describeIssue, formatPath, show } from './describe-issue.js'
import { permissionKeys, permissionsSchema } from './permissions-schema.js'

export interface LoadPermissionsOptions {
  /** See permissionsPlaces: the first that is there counts. */
  readonly places: readonly string[]
  /** Of the configuration: what is said of others applies to nothing. */
  readonly servers: readonly string[]
  onWarning(warning: ConfigError): void
}

const fileName = 'mcp-permissions.yaml'

/** Beside each place of the configuration, best first, then in the data directory. */
export function permissionsPlaces(
  configPlaces: readonly string[],
  home: string,
): readonly [string, ...string[]] {
  const folders = new Set([...configPlaces.map((place) => dirname(place)), home])
  return [...folders].map((folder) => join(folder, fileName)) as [string, ...string[]]
}

/** @throws ConfigError */
export async function loadPermissions(options: LoadPermissionsOptions): Promise<Permissions> {
  for (const file of options.places) {
    const text = await readIfThere(file)
    if (text !== undefined) return readPermissions(await parseConfigText(text, file), file, options)
  }
  return noPermissions
}

function readPermissions(
  { value, lineOf }: ConfigText,
  file: string,
  { servers, onWarning }: LoadPermissionsOptions,
): Permissions {
  const problem = (path: Path, expected: string, options?: ErrorOptions): ConfigError =>
    new ConfigError(
      file,
      lineOf(path),
      `${path.length > 0 ? `${formatPath(path)}: ` : ''}${expected}`,
      options,
    )
  if (!isObject(value)) throw problem([], `expected a mapping, got ${show(value, [])}`)
  // `servers:` with nothing beneath it is how people leave a section empty in YAML.
  const written = Object.fromEntries(Object.entries(value).filter(([, section]) => section !== null))
  const parsed = permissionsSchema.safeParse(written)
  if (!parsed.success) {
    const wrong = parsed.error.issues
      .flatMap((issue) => describeIssue(issue, written, permissionKeys))
      .map(({ path, expected }) => problem(path, toolNameHint(path, expected), { cause: parsed.error }))
      .sort((a, b) => (a.line ?? 0) - (b.line ?? 0))
    const [first, ...others] = wrong
    throw new ConfigError(file, first!.line, first!.expected, { cause: first!.cause }, others)
  }
  const { servers: ours, toolOverrides } = parsed.data
  const warnIfUnknown = (path: Path, server: string): void => {
    if (servers.includes(server)) return
    const closest = closestName(server, servers)
    const meant = closest === undefined ? '' : `; did you mean "${closest}"?`
    onWarning(problem(path, `no server "${server}", so it applies to nothing${meant}`))
  }
  for (const name of Object.keys(ours)) warnIfUnknown(['servers', name], name)
  for (const name of Object.keys(toolOverrides))
    warnIfUnknown(['toolOverrides', name], parseToolId(name)?.server ?? name)
  return { servers: ours, toolOverrides } as Permissions
}

/** What zod says of a key it says with the key's value. */
function toolNameHint(path: Path, expected: string): string {
  const name = path[1]
  return path.length === 2 && path[0] === 'toolOverrides' && parseToolId(String(name)) === undefined
    ? 'expected server:tool as its name'
    : expected
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    const what = code === 'EISDIR' ? 'it is a folder' : String(code)
    throw new ConfigError(file, undefined, `expected a file of permissions, but ${what}`, { cause })
  }
}
