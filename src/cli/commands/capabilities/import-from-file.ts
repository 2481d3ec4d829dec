import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { UsageError } from '../../../errors.js'
import type { ImportedCapability } from '../../../gateway/capability-transfer-api.js'
import { isObject } from '../../../model/json.js'
import { redactJson } from '../../../model/redact.js'
import { type Colours, coloursFor } from '../../colour.js'
import { countOf } from '../../count-of.js'
import { type Io, printJson, printLine } from '../../io.js'
import { settledStatus } from '../../settled-status.js'
import { agrees, riskIn, serversWithinMs, shown, type Telling } from './telling.js'

interface Entries {
  readonly entries: readonly ImportedCapability[]
}

/** @throws UsageError */
export function readCapabilities(file: string, io: Io): unknown {
  let text: string
  try {
    text = readFileSync(resolve(io.cwd, file), 'utf8')
  } catch (error) {
    throw new UsageError(`Cannot read ${file}: ${(error as Error).message}.`, 'Check the path.')
  }
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new UsageError(
      `${file} is no JSON: ${(error as Error).message}.`,
      'Such a file is made by: pml capabilities export --out FILE',
    )
  }
}

/** What is taken is what was shown: the file is read once. */
export async function importFromFile(file: unknown, telling: Telling): Promise<number> {
  const { api, io, json, yes } = telling
  await settledStatus(api, serversWithinMs)
  const trial = (await api.post('/api/capabilities/import', { file, isTrial: true })) as Entries
  const wanted = trial.entries.filter(({ verdict }) => verdict === 'new')
  if (json && !yes) {
    printJson(io, { ...trial, isTrial: true })
    return exitCodeOf(trial)
  }
  if (!json) printLine(io, describeTrial(redactJson(trial, shown), coloursFor(io, io.stdout)))
  if (wanted.length === 0) {
    if (json) printJson(io, trial)
    else printLine(io, '\nNothing was added.')
    return exitCodeOf(trial)
  }
  if (!(await agrees(`\nAdd ${countOf(wanted.length, 'procedure')}?`, telling))) {
    printLine(io, 'Nothing was added.')
    return 1
  }
  // Nothing that was not shown: what was refused a moment ago may be possible by now.
  const refused = trial.entries.filter(({ verdict }) => verdict === 'refused')
  const left = without(file, new Set(refused.map(({ name }) => name)))
  const taken = (await api.post('/api/capabilities/import', { file: left })) as Entries
  const done = { entries: [...taken.entries, ...refused] }
  if (json) printJson(io, done)
  else printLine(io, `\n${describeDone(redactJson(done, shown))}`)
  return exitCodeOf(done)
}

function without(file: unknown, names: ReadonlySet<string>): unknown {
  if (!isObject(file) || !Array.isArray(file.capabilities)) return file
  const capabilities = file.capabilities.filter(
    (one) => !(isObject(one) && typeof one.name === 'string' && names.has(one.name)),
  )
  return { ...file, capabilities }
}

function exitCodeOf({ entries }: Entries): number {
  return entries.some(({ verdict }) => verdict === 'refused') ? 1 : 0
}

/** Whoever agrees has seen the code whole. */
function describeTrial({ entries }: Entries, colours: Colours): string {
  if (entries.length === 0) return 'The file holds none.'
  return entries.map((entry) => describeEntry(entry, colours).join('\n')).join('\n\n')
}

function describeEntry(entry: ImportedCapability, colours: Colours): readonly string[] {
  const { name, verdict, description, intents, code, steps, risk, missing, notes } = entry
  if (verdict === 'known')
    return [`${colours.bold(name)} is there already${entry.as === name ? '' : `, as ${entry.as}`}.`]
  if (verdict === 'refused') return [`${colours.bold(name)} ${colours.red('is not taken')}: ${entry.why}`]
  return [
    `${colours.bold(name)} is new, ${riskIn(risk, colours)}: ${description}`,
    ...steps.split('\n').map((line) => `  ${line}`),
    ...intents.map((intent) => `  Found by: ${intent}`),
    ...missing.map((tool) => `  ${colours.yellow('Not here:')} ${tool}. It cannot run before that is.`),
    ...notes.map((note) => `  ${colours.yellow('Note:')} ${note}`),
    ...code
      .replace(/\n+$/, '')
      .split('\n')
      .map((line) => `  ${colours.dim('|')} ${line}`),
  ]
}

function describeDone({ entries }: Entries): string {
  const namesOf = (verdict: ImportedCapability['verdict']) =>
    entries.filter((entry) => entry.verdict === verdict).map(({ name }) => name)
  const added = namesOf('new')
  const refused = entries.filter(({ verdict }) => verdict === 'refused')
  return [
    `Added ${countOf(added.length, 'procedure')}${added.length > 0 ? `: ${added.join(', ')}` : ''}.`,
    ...(refused.length > 0 ? [`Not taken: ${refused.map(({ name }) => name).join(', ')}.`] : []),
  ].join(' ')
}
