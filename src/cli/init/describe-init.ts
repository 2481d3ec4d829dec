import type { OtherProject } from '../../clients/other-projects.js'
import type { Colours } from '../colour.js'
import type { InitData, PlaceData, ServerData } from './init-data.js'
import { showUnseen } from './show-unseen.js'

/** More lines than this nobody reads; --json has them all. */
const mostDiffLines = 60

/** The preview, for people. */
export function describeInit(raw: InitData, colours: Colours): string {
  const data = showUnseen(raw)
  const parts = [
    ...data.places.map((place) => describePlace(place, colours)),
    ...data.broken.map(({ message, hint }) => `${colours.red('cannot be read')} ${message}\n  ${hint}`),
    ...data.changes.map((change) => describeChange(change, colours)),
    ...describeNotes(data, colours),
  ]
  return parts.join('\n\n')
}

function describePlace(place: PlaceData, { bold, dim }: Colours): string {
  const where = place.section.length > 1 ? ` ${dim(`(${place.section.join(' > ')})`)}` : ''
  const lines = [
    ...place.servers.flatMap((server) => [`  ${describeServer(server)}`, dim(`    ${cut(server.runs)}`)]),
    ...place.left.map(({ name, reason }) => `  ${name}: left alone, because ${reason}`),
    ...(place.connected ? ['  PML is there already'] : []),
  ]
  return [`${bold(place.title)} ${place.file}${where}`, ...lines].join('\n')
}

const longestRun = 160

function cut(text: string): string {
  return text.length > longestRun ? `${text.slice(0, longestRun)}...` : text
}

function describeServer({ name, becomes, fate, disabled, secrets, ignored }: ServerData): string {
  const what = {
    new: name === becomes ? 'is taken over' : `is taken over as ${becomes}`,
    same: `is the same as ${becomes} above`,
    existing: name === becomes ? 'is in the configuration already' : `is in the configuration as ${becomes}`,
  }[fate]
  const references = secrets.map((secret) => `\${${secret}}`).join(', ')
  return [
    `${name}: ${what}`,
    ...(disabled ? ['switched off'] : []),
    ...(secrets.length === 0 ? [] : [`secrets become ${references}`]),
    ...(ignored.length === 0 ? [] : [`without ${ignored.join(', ')}`]),
  ].join('; ')
}

function describeChange(change: InitData['changes'][number], { bold, red, green, dim }: Colours): string {
  const shown = change.diff.slice(0, mostDiffLines)
  const more = change.diff.length - shown.length
  const lines = shown.map((line) =>
    line.startsWith('-') ? red(line) : line.startsWith('+') ? green(line) : dim(line),
  )
  return [
    `${bold(change.isNew ? 'would be created' : 'would change')} ${change.file}`,
    ...lines.map((line) => `  ${line}`),
    ...(more > 0 ? [dim(`  ... and ${more} more lines`)] : []),
  ].join('\n')
}

function describeNotes(data: InitData, { yellow }: Colours): readonly string[] {
  const notes = [...data.shared.map(describeShared), ...data.otherProjects.map(describeOther)]
  return [
    ...(data.changes.some(({ isNew }) => !isNew) ? [`Copies of what changes go to ${data.backups}`] : []),
    ...notes.map((note) => `${yellow('note')} ${note}`),
  ]
}

function describeOther({ project, servers }: OtherProject): string {
  const count = servers === 1 ? '1 server of project' : `${servers} servers of project`
  return `${count} ${project} ${servers === 1 ? 'is' : 'are'} left: run init there`
}

function describeShared(file: string): string {
  return `${file} is the project's: whoever shares it loses these servers there.`
}
