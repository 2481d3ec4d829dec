import type { Document, Pair, YAMLMap } from 'yaml'
import type { Section, ServerDefinition } from './edit-config-file.js'

/**
 * Servers written as a block, one key per line, are edited as text, so that every other byte stays. Only a section in
 * another form (empty, or within braces) is printed anew by the `yaml` package, which keeps comments but not spacing.
 */
export async function addToYaml(
  text: string,
  section: Section,
  name: string,
  definition: ServerDefinition,
): Promise<string> {
  const { parseDocument, stringify } = await import('yaml')
  const document = parseDocument(text)
  const block = await findBlock(document, text, section)
  if (block !== undefined) {
    const lines = stringify({ [name]: definition }, formOf(text))
      .trimEnd()
      .split('\n')
    const end = await endOfPair(block.servers.items.at(-1)!, text)
    const added = lines.map((line) => `\n${block.indent}${line}`).join('')
    return `${text.slice(0, end)}${added}${text.slice(end) || '\n'}`
  }
  const servers = document.contents === null ? undefined : document.get(section, true)
  if (isFilledMap(servers)) servers.set(document.createNode(name), document.createNode(definition))
  else document.set(section, document.createNode({ [name]: definition }))
  return document.toString(formOf(text))
}

export async function removeFromYaml(text: string, section: Section, name: string): Promise<string> {
  const { parseDocument, isScalar } = await import('yaml')
  const document = parseDocument(text)
  const block = await findBlock(document, text, section)
  const pair = block?.servers.items.find((item) => isScalar(item.key) && String(item.key.value) === name)
  if (block !== undefined && pair !== undefined && block.servers.items.length > 1) {
    const start = text.lastIndexOf('\n', startOf(pair)) + 1
    return text.slice(0, start) + text.slice((await endOfPair(pair, text)) + 1)
  }
  document.deleteIn([section, name])
  return document.toString(formOf(text))
}

/**
 * Sets one text beneath a section. As text where the section is a block, or is not there and the file is one; both
 * hold for what people write. Whoever calls checks what came of it, and may ask for the file to be printed anew.
 */
export async function setInYaml(text: string, section: string, key: string, value: string): Promise<string> {
  const { parseDocument, isScalar, stringify } = await import('yaml')
  const document = parseDocument(text)
  const written = stringify(value, { lineWidth: 0 }).trimEnd()
  const parent = document.contents === null ? undefined : document.get(section, true)
  const indent = ' '.repeat(formOf(text).indent)
  if (parent === undefined) {
    return `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${section}:\n${indent}${key}: ${written}\n`
  }
  if (isScalar(parent) && parent.range) {
    // `search:` with nothing beneath it, but perhaps a comment behind it.
    const end = text.indexOf('\n', parent.range[0])
    const at = end < 0 ? text.length : end
    return `${text.slice(0, at)}\n${indent}${key}: ${written}${text.slice(at) || '\n'}`
  }
  const old = document.getIn([section, key], true)
  if (isScalar(old) && old.range && old.type !== 'BLOCK_FOLDED' && old.type !== 'BLOCK_LITERAL') {
    const [start, end] = old.range
    // `embedder:` with nothing behind it ends at its colon.
    const gap = /[\s[{,]$/.test(text.slice(0, start)) ? '' : ' '
    return text.slice(0, start) + gap + written + text.slice(end)
  }
  const block = await findBlock(document, text, section)
  if (block === undefined || old !== undefined) return printInYaml(text, section, key, value)
  const end = await endOfPair(block.servers.items.at(-1)!, text)
  return `${text.slice(0, end)}\n${block.indent}${key}: ${written}${text.slice(end) || '\n'}`
}

/** The same by way of the printer, which keeps comments but not spacing. */
export async function printInYaml(
  text: string,
  section: string,
  key: string,
  value: string,
): Promise<string> {
  const { parseDocument, isMap } = await import('yaml')
  const document = parseDocument(text)
  if (isMap(document.get(section, true))) document.setIn([section, key], value)
  else document.set(section, document.createNode({ [key]: value }))
  return document.toString(formOf(text))
}

/** The servers where each key begins a line of its own at the same indent. */
async function findBlock(document: Document, text: string, section: string) {
  const { isScalar } = await import('yaml')
  const servers = document.contents === null ? undefined : document.get(section, true)
  if (!isFilledMap(servers) || servers.flow) return undefined
  const indents = servers.items.map((item) => {
    const start = isScalar(item.key) ? startOf(item) : 0
    return text.slice(text.lastIndexOf('\n', start) + 1, start)
  })
  const indent = indents[0]!
  return /^ +$/.test(indent) && indents.every((other) => other === indent) ? { servers, indent } : undefined
}

function isFilledMap(node: unknown): node is YAMLMap {
  return Array.isArray((node as YAMLMap | undefined)?.items) && (node as YAMLMap).items.length > 0
}

function startOf(pair: Pair): number {
  return (pair.key as { range?: readonly number[] }).range?.[0] ?? 0
}

/** The end of the line on which the last leaf of a pair stands. */
async function endOfPair(pair: Pair, text: string): Promise<number> {
  const { isCollection, isPair } = await import('yaml')
  let leaf: unknown = pair
  for (;;) {
    if (isPair(leaf)) leaf = leaf.value ?? leaf.key
    else if (isCollection(leaf) && !leaf.flow && leaf.items.length > 0) leaf = leaf.items.at(-1)
    else break
  }
  let end = (leaf as { range: readonly number[] }).range[1]!
  while (text[end - 1] === '\n') end--
  const lineEnd = text.indexOf('\n', end)
  return lineEnd < 0 ? text.length : lineEnd
}

/** How the person writes YAML, as far as the printer can be told. */
function formOf(text: string) {
  const indent = /^( +)[^\s#-]/m.exec(text)?.[1]?.length ?? 2
  return {
    lineWidth: 0,
    indent: Math.min(8, indent),
    indentSeq: !/^( *)[^\s#][^\n]*:[ \t]*\n\1- /m.test(text),
    flowCollectionPadding: !/\{[^\s}]/.test(text.replaceAll('${', '')),
  }
}
