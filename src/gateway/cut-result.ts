import type { Json } from '../model/json.js'
import { jsonLength } from '../model/json-length.js'
import type { ContentBlock, ToolResult } from '../model/tool-call.js'
import { bytesPerToken, estimateTokens } from './estimate-tokens.js'
import { headAndTail, shrinkJson } from './preview.js'
import type { ResultStore } from './result-store.js'

/** An image costs a model one to two thousand tokens whatever its bytes; above this no provider takes it at all. */
const maxBlobChars = 8 * 1024 * 1024

/** The share of the limit that a preview takes: the agent has been told where the rest is. */
const previewShare = 0.25

export const cutMetaKey = 'casys-pml/cut'

/**
 * A result within `maxTokens` (estimated) passes through as the same object. A larger one keeps its shape: one text block
 * with the start, the end and the handle of the whole; structured content shrunk to a sample; other blocks as they are.
 * The text and the structured content of a result usually say the same, so the larger of the two is what counts.
 */
export function cutResult(result: ToolResult, maxTokens: number, results: ResultStore): ToolResult {
  const slim = cutBlobs(result, results)
  const maxChars = maxTokens * bytesPerToken
  const content = Array.isArray(slim.content) ? slim.content : []
  const tokens = content.reduce((sum, block) => sum + textTokens(block), 0)
  const structured = slim.structuredContent
  const large = structured !== undefined && jsonLength(structured, maxChars) >= maxChars
  if (tokens <= maxTokens && !large) return slim

  const whole = wholeText(content, structured)
  const handle = results.keepText(whole)
  const previewChars = Math.max(200, Math.floor(maxChars * previewShare))
  const note = `This result was cut: ${whole.length} characters, about ${estimateTokens(whole)} tokens. ${howToRead(handle)}`
  const sample = structured === undefined ? undefined : shrinkJson(structured, previewChars)
  const { structuredContent: _, ...rest } = slim
  return {
    ...rest,
    content: [
      { type: 'text', text: `${note}\n\n${headAndTail(whole, previewChars)}` },
      ...content.filter((block) => blockText(block) === undefined),
    ],
    ...(sample !== undefined && { structuredContent: sample }),
    _meta: {
      ...(slim._meta as object | undefined),
      [cutMetaKey]: {
        handle,
        characters: whole.length,
        ...(structured !== undefined && { structuredContent: sample === undefined ? 'left out' : 'sample' }),
      },
    },
  }
}

export function howToRead(handle: string): string {
  return `Read on with control_workflow {"action":"read","handle":"${handle}","offset":0} or the resource pml://result/${handle}?offset=0`
}

function textTokens(block: ContentBlock): number {
  const text = blockText(block)
  return text === undefined ? 0 : estimateTokens(text)
}

function blockText(block: ContentBlock): string | undefined {
  if (block === null || typeof block !== 'object') return undefined
  if (block.type === 'text' && typeof block.text === 'string') return block.text
  const resource = block.resource as { text?: unknown } | undefined
  if (block.type === 'resource' && typeof resource?.text === 'string') return resource.text
  return undefined
}

/** All that the result says as text, once: structured content is added unless a text block is its serialisation. */
function wholeText(content: readonly ContentBlock[], structured: Json | undefined): string {
  const texts = content.flatMap((block) => blockText(block) ?? [])
  if (structured !== undefined) {
    const json = JSON.stringify(structured)
    if (!texts.some((text) => saysTheSame(text, json))) texts.push(json)
  }
  return texts.join('\n\n')
}

function saysTheSame(text: string, json: string): boolean {
  if (text.length < json.length) return false
  try {
    return JSON.stringify(JSON.parse(text)) === json
  } catch {
    return false
  }
}

function cutBlobs(result: ToolResult, results: ResultStore): ToolResult {
  if (!Array.isArray(result.content) || !result.content.some(isHugeBlob)) return result
  return {
    ...result,
    content: result.content.map((block: ContentBlock) => {
      if (!isHugeBlob(block)) return block
      const { data, mimeType } = blob(block)!
      const handle = results.keepBlob(data, mimeType)
      return {
        type: 'text',
        text: `${mimeType} of ${Math.floor(data.length * 0.75)} bytes left out; it is the resource pml://result/${handle}`,
      }
    }),
  }
}

function isHugeBlob(block: ContentBlock): boolean {
  return (blob(block)?.data.length ?? 0) > maxBlobChars
}

function blob(block: ContentBlock): { readonly data: string; readonly mimeType: string } | undefined {
  if (block === null || typeof block !== 'object') return undefined
  const holder = (block.type === 'resource' ? block.resource : block) as Record<string, unknown> | undefined
  const data = holder?.data ?? holder?.blob
  if (typeof data !== 'string') return undefined
  return {
    data,
    mimeType: typeof holder?.mimeType === 'string' ? holder.mimeType : 'application/octet-stream',
  }
}
