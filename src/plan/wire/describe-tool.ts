/** What wiring looks at in a tool, made once for each definition: its verb, its thing, what it takes and what it gives. */
import type { Embedder } from '../../embed/embedder.js'
import type { JsonObject } from '../../model/json.js'
import type { Tool } from '../../model/tool.js'
import { splitWords } from '../../model/words/split-words.js'
import { stem } from '../../model/words/stem.js'
import { stopWords } from '../../model/words/stop-words.js'
import { type Field, schemaFields } from './schema-fields.js'

export interface ToolShape {
  readonly tool: Tool
  /** Stem of the word that says what it does; undefined where its name says only what it is about. */
  readonly verb?: string
  /** Stems of the rest of its name. */
  readonly thing: ReadonlySet<string>
  /** Stems of its description. */
  readonly said: ReadonlySet<string>
  readonly inputs: readonly ShapedField[]
  /** Empty where nobody knows what it gives. */
  readonly outputs: readonly ShapedField[]
  readonly vector: Float32Array
}

export interface ShapedField extends Field {
  /** Of name and description together. */
  readonly vector: Float32Array
}

export interface ToolShapes {
  /** `outputSchema`: what was seen of its results, for a tool that says nothing of them. */
  of(
    tools: readonly Tool[],
    outputSchema: (tool: Tool) => JsonObject | undefined,
  ): Promise<readonly ToolShape[]>
}

/** Some 20 KB each: 40 MB at most, for those that were planned with lately. */
const mostShapes = 2_000
/** What is further down in a description is detail. */
const longestText = 300

export function createToolShapes(embedder: Embedder): ToolShapes {
  const known = new Map<string, Promise<ToolShape>>()
  const never = new AbortController().signal
  return {
    of(tools, outputSchema) {
      return Promise.all(
        tools.map((tool) => {
          const inferred = tool.definition.outputSchema === undefined ? outputSchema(tool) : undefined
          // A definition is told by its object: a tool that changed has another one.
          const key = `${tool.id} ${numberOf(tool.definition)} ${inferred === undefined ? '' : numberOf(inferred)}`
          const before = known.get(key)
          if (before !== undefined) return before
          const shape = describe(tool, inferred, (texts) => embedder.embed(texts, 'tool', never))
          known.set(key, shape)
          shape.catch(() => known.delete(key))
          if (known.size > mostShapes) known.delete(known.keys().next().value!)
          return shape
        }),
      )
    },
  }
}

const numbers = new WeakMap<object, number>()
let lastNumber = 0

function numberOf(thing: object): number {
  const known = numbers.get(thing)
  if (known !== undefined) return known
  lastNumber += 1
  numbers.set(thing, lastNumber)
  return lastNumber
}

async function describe(
  tool: Tool,
  inferred: JsonObject | undefined,
  embed: (texts: readonly string[]) => Promise<readonly Float32Array[]>,
): Promise<ToolShape> {
  const { inputSchema, outputSchema } = tool.definition
  const description = shortened(tool.definition.description)
  const inputs = schemaFields(inputSchema).filter(({ path }) => path !== '')
  const outputs = schemaFields(outputSchema ?? inferred)
  const { verb, thing } = nameParts(tool)
  const vectors = await embed([
    `${splitWords(tool.name).join(' ')}: ${description}`,
    ...[...inputs, ...outputs].map(fieldText),
  ])
  return {
    tool,
    ...(verb !== undefined && { verb }),
    thing: new Set(thing),
    said: new Set(wordsOf(description)),
    inputs: inputs.map((field, at) => ({ ...field, vector: vectors[1 + at]! })),
    outputs: outputs.map((field, at) => ({ ...field, vector: vectors[1 + inputs.length + at]! })),
    vector: vectors[0]!,
  }
}

function fieldText({ name, description }: Field): string {
  const words = splitWords(shortened(name)).join(' ')
  return description === '' ? words : `${words}: ${shortened(description)}`
}

/** Servers send what they like: a text that is none counts as absent. */
function shortened(text: unknown): string {
  return typeof text === 'string' ? text.slice(0, longestText) : ''
}

function wordsOf(text: string): readonly string[] {
  return splitWords(text)
    .filter((word) => !stopWords.has(word))
    .map(stem)
}

/** `github:github_list_pull_requests` -> list, pull request. */
function nameParts(tool: Tool): { readonly verb?: string; readonly thing: readonly string[] } {
  const server = splitWords(tool.server)
  const words = splitWords(tool.name)
  const own =
    server.every((word, i) => word === words[i]) && words.length > server.length
      ? words.slice(server.length)
      : words
  const at = own.findIndex((word) => roleOf(stem(word)) !== undefined)
  const verb = at < 0 ? undefined : stem(own[at]!)
  return {
    ...(verb !== undefined && { verb }),
    thing: own.filter((word, i) => i !== at && !stopWords.has(word)).map(stem),
  }
}

/** A tool that looks for things or makes them comes before one that does something with them. */
export type Role = 'gives' | 'turns' | 'uses'

const roles = new Map<string, Role>()
const note = (role: Role, words: string): void => {
  for (const word of words.split(/\s+/)) if (!roles.has(stem(word))) roles.set(stem(word), role)
}
note(
  'gives',
  `find search get fetch list lookup look query read retrieve browse discover check detect locate scan select pick open load download
  view show describe count track login authenticate connect record capture inquire inquiry recognize recognition identify extract
  available history explore scrape crawl`,
)
note(
  'turns',
  `calculate compute convert translate analyze analyse summarize summarise transform format parse encode decode encrypt decrypt compress
  generate create make build draft compose render transcribe classify compare evaluate estimate predict validate verify filter sort merge
  combine split resize crop edit modify rewrite paraphrase enhance replace colorize stitch synthesize simplify`,
)
note(
  'uses',
  `send email mail message notify post publish tweet share save store write upload insert add append put set update book buy purchase order
  reserve schedule pay transfer submit register subscribe cancel delete remove archive close print play execute run deploy install push
  call invite assign forward reply rent sign apply move rename attach import export remind refund start stop`,
)

/** Words that ask for the same. */
const families = [
  'read get open fetch load show view retrieve display',
  'find search lookup look query locate discover browse',
  'list show browse',
  'store save write create add insert record put append register',
  'create make generate build add new compose draft',
  'update edit modify change set adjust',
  'delete remove drop erase clear cancel',
  'send post message notify email mail forward',
  'buy purchase order',
  'book reserve schedule order',
  'calculate compute count sum',
  'check verify validate query get',
  'analyze analyse evaluate',
].map((words) => new Set(words.split(' ').map(stem)))

export function sameFamily(a: string, b: string): boolean {
  return families.some((family) => family.has(a) && family.has(b))
}

const listing = new Set(
  'list search find query browse scan lookup discover explore count'.split(' ').map(stem),
)

/** It gives many by itself: `all` beside it means its result, not that it is called for each. */
export function isLister({ verb }: ToolShape): boolean {
  return verb !== undefined && listing.has(verb)
}

/** What has to come from somewhere. Where a schema requires nothing at all, as many do, it does not say, and that may be any. */
export function wantedInputs({ inputs }: ToolShape): ReadonlySet<Field> {
  const required = inputs.filter(({ isRequired }) => isRequired)
  return new Set(required.length > 0 ? required : inputs)
}

/** What it is about: its first required parameter. */
export function primaryInput({ inputs }: ToolShape): ShapedField | undefined {
  return inputs.find((field) => field.isRequired && !field.isContainer)
}

export function roleOf(verb: string): Role | undefined {
  return roles.get(verb)
}
