/** What `pml init` would do, as plain data: read once, shown, and then done as it was shown. */
import { readFile } from 'node:fs/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { FileChange } from '../../clients/change-files.js'
import type { ClientFormat, ClientName, PmlEntry, System } from '../../clients/client-format.js'
import { type OtherProject, otherProjects } from '../../clients/other-projects.js'
import {
  type ConnectionPlan,
  editTexts,
  planConnection,
  serversParts,
} from '../../clients/plan-connection.js'
import { type ImportPlan, type PlannedVariable, planImport } from '../../clients/plan-import.js'
import { type Scan, scanClients } from '../../clients/scan-clients.js'
import { isJsonFile } from '../../config/config-text.js'
import { addServersToText, serversOfFile } from '../../config/edit-config-file.js'
import { addSecretsToText, parseSecrets, secretsFilePath } from '../../config/read-secrets-file.js'
import { serverNameProblem } from '../../config/server-name.js'
import { PmlError } from '../../errors.js'

export interface InitOptions {
  readonly clients: readonly ClientFormat[]
  readonly system: System
  readonly configFile: string
  /** The data directory. */
  readonly home: string
  /** How a client starts PML. */
  readonly entry: PmlEntry
}

export interface InitPlan extends InitOptions {
  readonly scan: Scan
  readonly imports: ImportPlan
  readonly otherProjects: readonly OtherProject[]
  readonly configText: string | undefined
  readonly secretsText: string | undefined
  /** Clients that can be pointed at PML. */
  readonly connectable: readonly ClientFormat[]
}

export interface Choices {
  readonly connect: readonly ClientName[]
  readonly copySecrets: boolean
}

/** What the choices come to. */
export interface InitOutcome {
  readonly changes: readonly FileChange[]
  readonly connections: readonly ConnectionPlan[]
  /** Clients whose file cannot be edited: they stay as they are. */
  readonly refused: readonly { readonly client: ClientFormat; readonly error: PmlError }[]
  /** Variables that nobody sets for a gateway yet. */
  readonly toSet: readonly string[]
  /** Variables that only clients bring along: a gateway has them while one that does is connected. */
  readonly carried: readonly string[]
  /** Those of both that a client asks a person for: nobody else knows their values. */
  readonly asked: readonly string[]
  /** Those of both whose values --copy-secrets could keep. */
  readonly copyable: readonly string[]
}

export async function planInit(options: InitOptions): Promise<InitPlan> {
  const { system, configFile, home } = options
  const configText = await textOf(configFile)
  const secretsText = await textOf(secretsFilePath(home))
  const secrets = parseSecrets(secretsText ?? '', () => {})
  const scan = await scanClients(options.clients, system)
  const imports = planImport(scan.places, {
    existing: await serversOfFile(configFile),
    lookUp: (variable) =>
      system.env[variable] ?? (Object.hasOwn(secrets, variable) ? secrets[variable] : undefined),
    problemOf: serverNameProblem,
  })
  const connectable = options.clients.filter((client) =>
    imports.servers.some(({ from }) => from.client === client),
  )
  return {
    ...options,
    scan,
    imports,
    otherProjects: otherProjects(scan, system),
    configText,
    secretsText,
    connectable,
  }
}

export async function chooseChanges(plan: InitPlan, choices: Choices): Promise<InitOutcome> {
  const { imports, configFile, configText, home, secretsText } = plan
  const secrets = choices.copySecrets ? valuesOf(imports) : {}
  const isKept = (variable: PlannedVariable): boolean => Object.hasOwn(secrets, variable.name)
  const connections: ConnectionPlan[] = []
  const refused: { client: ClientFormat; error: PmlError }[] = []
  for (const client of plan.connectable) {
    if (!choices.connect.includes(client.name)) continue
    const { servers } = imports
    const planned = planConnection(client, { places: plan.scan.places, servers, entry: plan.entry, isKept })
    if (planned === undefined) continue
    try {
      editTexts([...connections, planned])
      connections.push(planned)
    } catch (error) {
      if (!(error instanceof PmlError)) throw error
      refused.push({ client, error })
    }
  }
  // Secrets before the servers that need them, and both before the clients that start them.
  const wanted: FileChange[] = [
    {
      file: secretsFilePath(home),
      before: secretsText,
      after: addSecretsToText(secretsText ?? '', secrets),
    },
    { file: configFile, before: configText, after: await configWith(plan) },
    ...[...editTexts(connections)].map(([file, after]) => ({
      file,
      before: before(plan, file),
      after,
      servers: serversParts(connections, file, after),
    })),
  ]
  const changes = wanted.filter((change) => change.after !== (change.before ?? ''))
  return { changes, connections, refused, ...missing(plan, connections, secrets) }
}

/** Every secret whose value is known, by the name of its variable. */
function valuesOf({ servers }: ImportPlan): Readonly<Record<string, string>> {
  const all = servers.flatMap(({ variables }) => variables)
  return Object.fromEntries(all.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]])))
}

function missing(
  { imports, system, secretsText }: InitPlan,
  connections: readonly ConnectionPlan[],
  copied: Readonly<Record<string, string>>,
): Pick<InitOutcome, 'toSet' | 'carried' | 'asked' | 'copyable'> {
  const known = { ...parseSecrets(secretsText ?? '', () => {}), ...copied }
  const names = new Set(imports.servers.flatMap(({ variables }) => variables.map(({ name }) => name)))
  const open = [...names].filter((name) => system.env[name] === undefined && !Object.hasOwn(known, name))
  const isCarried = (name: string) => connections.some(({ carries }) => carries.includes(name))
  const values = valuesOf(imports)
  return {
    toSet: open.filter((name) => !isCarried(name)),
    carried: open.filter(isCarried),
    asked: open.filter((name) => !Object.hasOwn(values, name)),
    copyable: open.filter((name) => Object.hasOwn(values, name)),
  }
}

async function configWith({ configFile, configText, imports }: InitPlan): Promise<string> {
  if (Object.keys(imports.added).length === 0) return configText ?? ''
  const isNew = configText === undefined || configText.trim() === ''
  const text = await addServersToText(configFile, configText ?? '', imports.added)
  return isNew && !isJsonFile(configFile) ? `${header()}\n${text}` : text
}

function header(): string {
  const schema = fileURLToPath(new URL('../../../schema/pml.config.schema.json', import.meta.url))
  return `# yaml-language-server: $schema=${pathToFileURL(schema)}
# The servers behind Casys PML, taken over by pml init; pml init --undo takes it back.
# \${NAME} is a variable of the environment, or a line of secrets.env in the data directory.
`
}

function before({ scan }: InitPlan, target: string): string | undefined {
  return scan.places.find((place) => place.target === target)?.text
}

async function textOf(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
