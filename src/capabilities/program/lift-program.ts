/**
 * Literals to parameters, so that one procedure serves for other files, names and numbers. What goes into the argument of a call is a required
 * parameter, named after the property; other literals are optional ones with what stood there as default. Two programs of one structure
 * have the same parameters, so either may be run with what was lifted from the other.
 */
import type { AnyNode } from 'acorn'
import { findSecrets, isSecret } from '../../clients/find-secrets.js'
import type { Json, JsonObject } from '../../model/json.js'
import { type AnalysedProgram, analysisOf } from './analyse-program.js'
import { CodeSyntaxError } from './code-syntax-error.js'
import { findLiterals, type Literal } from './find-literals.js'
import { hashStructure, type NameOf } from './hash-structure.js'
import { parseProgram } from './parse-program.js'
import type { LiftedProgram, Program } from './program.js'
import { type OwnParameters, type Parameter, readParameters } from './read-parameters.js'

export interface LiftOptions {
  /** What the program was run with: parameters that it reads already get their types from it. */
  readonly arguments?: JsonObject
  /** What a name in the code stands for; else what is written. */
  readonly nameOf?: NameOf
}

export function liftProgram(program: Program, options: LiftOptions = {}): LiftedProgram {
  const analysis = analysisOf(program)
  const given = options.arguments ?? {}
  const own = readParameters(analysis, given)
  const found = own.isWhole ? [] : findLiterals(analysis)
  const lifted = nameAll(found, own.parameters)
  const code = rewrite(analysis, lifted)
  if (lifted.length > 0 && !isReadable(code)) return assemble(analysis, program.code, own, [], options)
  return assemble(analysis, code, own, lifted, options)
}

/** `end`: what stands behind the parameter. */
type Named = Literal & { readonly name: string; readonly end: string }

const longestDefault = 2_000

function nameAll(found: readonly Literal[], own: readonly Parameter[]): readonly Named[] {
  const taken = new Set(own.map(({ name }) => name))
  const counts = new Map<string, number>()
  const shared = new Map<string, string>()
  const texts = new Set(found.filter(isShared).map(shareKey))
  // The arguments of calls have the first choice.
  const ordered = [
    ...found.filter(({ isRequired }) => isRequired),
    ...found.filter(({ isRequired }) => !isRequired),
  ].map((literal) => withoutEnd(literal, texts))
  return ordered.map((literal) => {
    const base = toIdentifier(literal.wanted)
    const known = isShared(literal) ? shared.get(shareKey(literal)) : undefined
    if (known !== undefined) return { ...literal, name: known }
    let number = counts.get(base) ?? 1
    let name = number === 1 ? base : `${base}${number}`
    while (taken.has(name)) name = `${base}${++number}`
    counts.set(base, number + 1)
    taken.add(name)
    if (isShared(literal)) shared.set(shareKey(literal), name)
    return { ...literal, name }
  })
}

/** The same text for arguments of the same name is one thing that is spoken of twice: the folder that is listed and read from. */
function isShared({ isRequired, value }: Literal): boolean {
  return isRequired && typeof value === 'string' && value.length >= shortestShared
}

const shortestShared = 3

function shareKey({ wanted, value }: Literal): string {
  return `${toIdentifier(wanted)} ${value}`
}

/** In a template the folder has a slash behind it, which is none of it. */
function withoutEnd(literal: Literal, texts: ReadonlySet<string>): Literal & { readonly end: string } {
  const { node, value } = literal
  const end = typeof value === 'string' ? /[^\p{L}\p{N}`\\${]+$/u.exec(value)?.[0] : undefined
  if (node.type !== 'TemplateElement' || end === undefined) return { ...literal, end: '' }
  const without = { ...literal, value: (value as string).slice(0, -end.length) }
  return texts.has(shareKey(without)) ? { ...without, end } : { ...literal, end: '' }
}

function toIdentifier(text: string): string {
  const words = text
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9_]+(.)?/g, (_, next: string | undefined) => (next ?? '').toUpperCase())
    .replace(/^[^A-Za-z]+/, '')
    .slice(0, longestName)
  if (words === '') return 'value'
  // An argument that is not given must not be found on the prototype.
  return words in Object.prototype ? `${words}Value` : words
}

const longestName = 40

function rewrite({ parsed, bindings }: AnalysedProgram, lifted: readonly Named[]): string {
  const source = parsed.isAligned ? parsed.code : parsed.stripped
  let code = ''
  let at = 0
  for (const literal of [...lifted].sort((a, b) => a.node.start - b.node.start)) {
    const { start, end } = literal.node
    code += source.slice(at, start) + toCode(literal, source, bindings.parentOf)
    at = end
  }
  return code + source.slice(at)
}

function toCode(literal: Named, source: string, parentOf: ReadonlyMap<AnyNode, AnyNode>): string {
  const { node, name } = literal
  const fallback = defaultOf(literal)
  const read = `args.${name}`
  if (node.type === 'TemplateElement') {
    return fallback === undefined ? `\${${read}}${literal.end}` : `\${${read} ?? ${JSON.stringify(fallback)}}`
  }
  const before = /[\w$]/.test(source[node.start - 1] ?? '') ? ' ' : ''
  const after = /[\w$]/.test(source[node.end] ?? '') ? ' ' : ''
  if (fallback === undefined) return `${before}${read}${after}`
  // A line that begins with a parenthesis would go on the one before.
  const opening = parentOf.get(node)?.type === 'ExpressionStatement' ? ';(' : '('
  return `${before}${opening}${read} ?? ${JSON.stringify(fallback)})${after}`
}

/** Never a secret, nor what nobody wants to see in a list of parameters. */
function defaultOf({ isRequired, value, name }: Named): Json | undefined {
  return isRequired || mustStaySecret(name, value) ? undefined : value
}

function mustStaySecret(name: string, value: Json): boolean {
  const texts = Array.isArray(value) ? value : [value]
  return (
    JSON.stringify(value).length > longestDefault ||
    texts.some(
      (text) =>
        typeof text === 'string' &&
        (isSecret(name, text) || findSecrets(text, { kind: 'argument' }, true).length > 0),
    )
  )
}

function assemble(
  analysis: AnalysedProgram,
  code: string,
  own: OwnParameters,
  lifted: readonly Named[],
  { arguments: given = {}, nameOf }: LiftOptions,
): LiftedProgram {
  const parameters: readonly Parameter[] = [
    ...own.parameters,
    ...firstOfEach(lifted).map((literal): Parameter => {
      const fallback = defaultOf(literal)
      return {
        name: literal.name,
        nodes: lifted.filter(({ name }) => name === literal.name).map(({ node }) => node),
        value: literal.value,
        isRequired: fallback === undefined,
        default: fallback,
        description: literal.description,
      }
    }),
  ]
  const stands = new Map<AnyNode, string>()
  const ends = new Map(lifted.map(({ node, end }) => [node, end]))
  for (const { name, nodes, value } of parameters) {
    for (const node of nodes) {
      const end = ends.get(node) ?? ''
      // As it is read again: the parameter, and then what stands behind it.
      stands.set(node, `args.${name}:${kindOf(value)}${end === '' ? '' : `,${JSON.stringify(end)}`}`)
    }
  }
  return {
    code,
    inputSchema: schemaOf(parameters, own.isWhole),
    arguments: {
      // What a parameter falls back to is a literal as well.
      ...Object.fromEntries(
        own.parameters.flatMap(({ name, default: value }) => (value === undefined ? [] : [[name, value]])),
      ),
      ...given,
      ...Object.fromEntries(lifted.map(({ name, value }) => [name, value])),
    },
    structure: hashStructure(analysis, stands, nameOf),
  }
}

function firstOfEach(lifted: readonly Named[]): readonly Named[] {
  return lifted.filter(({ name }, at) => lifted.findIndex((other) => other.name === name) === at)
}

function schemaOf(parameters: readonly Parameter[], isOpen: boolean): JsonObject {
  const required = parameters.filter(({ isRequired }) => isRequired).map(({ name }) => name)
  return {
    type: 'object',
    properties: Object.fromEntries(
      parameters.map((parameter): [string, JsonObject] => [
        parameter.name,
        {
          ...typeOf(parameter.value),
          ...(parameter.description !== '' && { description: parameter.description }),
          ...(parameter.default !== undefined &&
            !mustStaySecret(parameter.name, parameter.default) && { default: parameter.default }),
        },
      ]),
    ),
    ...(required.length > 0 && { required }),
    additionalProperties: isOpen,
  }
}

function typeOf(value: Json | undefined): JsonObject {
  if (value === undefined || value === null) return {}
  if (!Array.isArray(value)) return { type: kindOf(value) }
  const kinds = new Set(value.map(kindOf))
  const [kind] = kinds
  return kinds.size === 1 && kind !== 'any' && kind !== undefined
    ? { type: 'array', items: { type: kind } }
    : { type: 'array' }
}

function kindOf(value: Json | undefined): string {
  if (value === undefined || value === null) return 'any'
  return Array.isArray(value) ? 'array' : typeof value
}

function isReadable(code: string): boolean {
  try {
    parseProgram(code)
    return true
  } catch (error) {
    if (error instanceof CodeSyntaxError) return false
    throw error
  }
}
