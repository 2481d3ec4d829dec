import type { FileChange } from '../../clients/change-files.js'
import type { ClientDefinition, Text } from '../../clients/client-format.js'
import type { OtherProject } from '../../clients/other-projects.js'
import type { PlannedServer } from '../../clients/plan-import.js'
import type { ScannedPlace } from '../../clients/scan-clients.js'
import { diffText } from './diff-text.js'
import { createHideSecrets } from './hide-secrets.js'
import type { InitOutcome, InitPlan } from './plan-init.js'

export interface InitData {
  readonly config: { readonly file: string; readonly isNew: boolean; readonly servers: readonly string[] }
  readonly places: readonly PlaceData[]
  readonly broken: readonly { readonly client: string; readonly message: string; readonly hint: string }[]
  readonly changes: readonly {
    readonly file: string
    readonly isNew: boolean
    readonly diff: readonly string[]
  }[]
  readonly connect: readonly string[]
  readonly backups: string
  /** Files of the project that change: others may have them too. */
  readonly shared: readonly string[]
  /** Other projects of the user that have servers of their own. */
  readonly otherProjects: readonly OtherProject[]
  readonly toSet: readonly string[]
  readonly carried: readonly string[]
  readonly asked: readonly string[]
}

export interface PlaceData {
  readonly client: string
  readonly title: string
  readonly file: string
  readonly section: readonly string[]
  /** True where PML stands in it already. */
  readonly connected: boolean
  readonly servers: readonly ServerData[]
  readonly left: readonly { readonly name: string; readonly reason: string }[]
}

export interface ServerData {
  readonly name: string
  /** What is started, or where it is reached. */
  readonly runs: string
  readonly becomes: string
  readonly fate: PlannedServer['fate']
  readonly disabled: boolean
  readonly secrets: readonly string[]
  readonly ignored: readonly string[]
}

/** Longer lines are whole files in one, with whatever else they hold. */
const longestLine = 400

/** The plan for people and programs: no secret is in it. */
export function initData(plan: InitPlan, outcome: InitOutcome, backups: string): InitData {
  const { imports, scan } = plan
  const values = imports.servers.flatMap(({ variables }) => variables.map(({ value }) => value ?? ''))
  const hide = createHideSecrets(values)
  const broken = [...scan.broken, ...outcome.refused]
  return {
    config: {
      file: plan.configFile,
      isNew: plan.configText === undefined,
      servers: Object.keys(imports.added),
    },
    places: scan.places
      .filter(({ servers, left, connected }) => connected || servers.length + left.length > 0)
      .map((place) => placeData(place, imports.servers, hide)),
    broken: broken.map(({ client, error }) => ({
      client: client.name,
      message: error.message,
      hint: error.hint,
    })),
    changes: outcome.changes.map((change) => ({
      file: change.file,
      isNew: change.before === undefined,
      diff: diffOf(change, hide),
    })),
    connect: outcome.connections.map(({ client }) => client.name),
    backups,
    shared: outcome.connections.flatMap(({ edits }) =>
      edits.filter(({ from }) => isShared(from)).map(({ from }) => from.place.file),
    ),
    otherProjects: plan.otherProjects,
    toSet: outcome.toSet,
    carried: outcome.carried,
    asked: outcome.asked,
  }
}

/** A project's own file, not its part in the file of the user. */
function isShared({ place }: ScannedPlace): boolean {
  return place.project !== undefined && place.file.startsWith(place.project)
}

function placeData(
  from: ScannedPlace,
  servers: readonly PlannedServer[],
  hide: (line: string) => string,
): PlaceData {
  return {
    client: from.client.name,
    title: from.client.title,
    file: from.place.file,
    section: from.place.section,
    connected: from.connected,
    servers: servers
      .filter((server) => server.from === from)
      .map(({ found, name, fate, variables }) => ({
        name: found.name,
        runs: hide(shorten(describeRun(found.definition))),
        becomes: name,
        fate,
        disabled: found.definition.disabled === true,
        secrets: [...new Set(variables.map((variable) => variable.name))],
        ignored: found.ignored,
      })),
    left: from.left.map(({ name, reason }) => ({ name, reason })),
  }
}

/** Before it is looked through for secrets: what nobody reads need not be searched. */
function shorten(text: string): string {
  return text.length > longestLine ? `${text.slice(0, longestLine)}...` : text
}

function describeRun(definition: ClientDefinition): string {
  if ('url' in definition) return asWritten(definition.url)
  return [definition.command, ...definition.args].map(asWritten).join(' ')
}

function asWritten(text: Text): string {
  return text.map((piece) => (piece.kind === 'literal' ? piece.text : piece.raw)).join('')
}

function diffOf({ before, after }: FileChange, hide: (text: string) => string): readonly string[] {
  return diffText(before ?? '', after).map((line) =>
    line.length > longestLine ? `${line[0]}(a line of ${line.length - 1} characters)` : hide(line),
  )
}
