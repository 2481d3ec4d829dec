import { ToolAnsweredError } from '../errors.js'
import { isDeeperThan } from '../model/is-deeper-than.js'
import { isObject, type Json, type JsonObject } from '../model/json.js'
import type { ContentBlock, ToolResult } from '../model/tool-call.js'

/** Enough to act on; a tool that answers a failure with a megabyte of trace would flood every reply. */
const longestErrorText = 4_000
/** JSON.stringify ends at some 7,000 levels. */
const deepestResult = 1_000

/**
 * A tool's answer -> the value that later tasks refer to:
 *
 *     structuredContent where the tool gave it;
 *     one text that is a JSON object or array: that, parsed;
 *     texts only: the texts, joined by line breaks;
 *     anything else: { text, content: [...] }, where each block that is not text is kept without its bytes, as
 *     { type, mimeType, bytes, ... }: an image has no place in another tool's arguments nor in the journal.
 *
 * Throws ToolAnsweredError where the tool says `isError`.
 */
export function taskResult(toolId: string, result: ToolResult): Json {
  const blocks = Array.isArray(result.content) ? result.content : []
  const texts = blocks.filter(isText).map((block) => block.text)
  if (result.isError === true) throw new ToolAnsweredError(toolId, errorText(texts))
  if (result.structuredContent !== undefined && result.structuredContent !== null) {
    return bounded(toolId, result.structuredContent)
  }
  const text = texts.length === 1 ? bounded(toolId, parseIfJson(texts[0]!)) : texts.join('\n')
  const others = blocks.filter((block) => !isText(block))
  return others.length === 0 ? text : { text, content: others.map(describeBlock) }
}

/** What is deeper cannot be written down, and a step that cannot be stored would never be told. */
function bounded(toolId: string, value: Json): Json {
  if (!isDeeperThan(value, deepestResult)) return value
  throw new ToolAnsweredError(toolId, `Its result is nested more than ${deepestResult} levels deep.`)
}

function isText(block: ContentBlock): block is ContentBlock & { readonly text: string } {
  return block?.type === 'text' && typeof block.text === 'string'
}

function errorText(texts: readonly string[]): string {
  const text = texts.join('\n').trim()
  return text.length > longestErrorText ? `${text.slice(0, longestErrorText)}...` : text
}

/** Only objects and arrays: a text `42` or `true` is text that happens to look like JSON. */
function parseIfJson(text: string): Json {
  if (!/^\s*[[{]/.test(text)) return text
  try {
    return JSON.parse(text) as Json
  } catch {
    return text
  }
}

/** An embedded resource keeps its own text; base64 becomes a count of bytes. */
function describeBlock(block: ContentBlock): JsonObject {
  const { type, data } = block ?? {}
  const inner = isObject(block?.resource) ? block.resource : block
  const encoded = typeof data === 'string' ? data : inner?.blob
  return {
    type: String(type),
    ...pickText(inner, ['mimeType', 'uri', 'name', 'text']),
    ...(typeof encoded === 'string' && { bytes: decodedBytes(encoded) }),
  }
}

function pickText(from: unknown, keys: readonly string[]): JsonObject {
  if (!isObject(from)) return {}
  return Object.fromEntries(
    keys.flatMap((key) => (typeof from[key] === 'string' ? [[key, from[key]]] : [])),
  ) as JsonObject
}

/** RFC 4648: four characters for three bytes, less the padding. */
function decodedBytes(base64: string): number {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0
  return Math.max(0, Math.floor((base64.length * 3) / 4) - padding)
}
