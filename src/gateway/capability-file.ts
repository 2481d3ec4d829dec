import { UsageError } from '../errors.js'
import { isObject, type JsonObject } from '../model/json.js'
import { readCode, readLine } from './capability-texts.js'

/**
 * Procedures, to be carried to another machine: what they do and what they are called. Nothing of how they were used, but for literals of the first run
 * that stand in the code as what a parameter falls back to.
 */
export interface CapabilityFile {
  readonly format: 'pml-capabilities'
  readonly version: 1
  readonly exportedAt: number
  /** What is called by others stands before them. */
  readonly capabilities: readonly FiledCapability[]
}

export interface FiledCapability {
  readonly name: string
  readonly description: string
  /** What it was run for: only where whoever exported it wanted that. */
  readonly intents?: readonly string[]
  readonly code: string
  readonly inputSchema: JsonObject
  readonly structure: string
}

export const capabilityFileVersion = 1

const mostCapabilities = 5_000
const mostIntents = 8
const longestSchema = 100_000
const identifier = /^[A-Za-z_$][\w$]{0,63}$/
const madeBy = 'Such a file is made by: pml capabilities export --out FILE'

/** @throws UsageError that says what is wrong with it; then nothing of it is taken */
export function readCapabilityFile(given: unknown): CapabilityFile {
  if (!isObject(given) || given.format !== 'pml-capabilities')
    throw new UsageError('This holds no capabilities of PML: it lacks "format": "pml-capabilities".', madeBy)
  const { version, capabilities, exportedAt } = given
  if (typeof version === 'number' && version > capabilityFileVersion)
    throw new UsageError(
      `The file is of version ${version}, made by a newer PML; this one reads versions up to ${capabilityFileVersion}.`,
      'Update PML, or export it again with this version.',
    )
  if (version !== capabilityFileVersion)
    throw new UsageError(`The file must say "version": ${capabilityFileVersion}.`, madeBy)
  if (!Array.isArray(capabilities) || capabilities.length > mostCapabilities)
    throw new UsageError(`"capabilities" must be a list of at most ${mostCapabilities}.`, madeBy)
  const read = capabilities.map(readFiled)
  const twice = read.find(({ name }, at) => read.findIndex((one) => one.name === name) !== at)
  if (twice !== undefined) throw new UsageError(`Two in the file are called "${twice.name}".`, madeBy)
  return {
    format: 'pml-capabilities',
    version: capabilityFileVersion,
    exportedAt: typeof exportedAt === 'number' ? exportedAt : 0,
    capabilities: read,
  }
}

function readFiled(value: unknown, at: number): FiledCapability {
  const where = `capabilities[${at}]`
  if (!isObject(value)) throw new UsageError(`${where} must be an object.`, madeBy)
  const { name, description, intents, code, inputSchema, structure } = value
  if (typeof name !== 'string' || !identifier.test(name))
    throw new UsageError(
      `${where}.name must be letters, digits and _, at most 64, not beginning with a digit.`,
      madeBy,
    )
  if (!isObject(inputSchema) || JSON.stringify(inputSchema).length > longestSchema)
    throw new UsageError(
      `${where}.inputSchema must be an object of at most ${longestSchema} characters.`,
      madeBy,
    )
  if (typeof structure !== 'string' || !/^[0-9a-f]{6,128}$/.test(structure))
    throw new UsageError(`${where}.structure must be hexadecimal.`, madeBy)
  if (intents !== undefined && (!Array.isArray(intents) || intents.length > mostIntents))
    throw new UsageError(`${where}.intents must be a list of at most ${mostIntents}.`, madeBy)
  return {
    name,
    description: readLine(description, `${where}.description`),
    ...(intents !== undefined && {
      intents: intents.map((intent, i) => readLine(intent, `${where}.intents[${i}]`)),
    }),
    code: readCode(code, `${where}.code`),
    inputSchema,
    structure,
  }
}
