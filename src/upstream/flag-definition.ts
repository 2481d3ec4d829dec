/**
 * What looks suspicious in a tool's definition. A flag informs a person, it blocks nothing: the pin does that. Every text
 * that reaches a model is searched: name, title, description, and all strings of both schemas.
 */
import type { ToolDefinition } from '../model/tool.js'

export function flagDefinition(definition: ToolDefinition): readonly string[] {
  const texts = [...textsOf(definition)]
  const flags = new Set<string>()
  for (const text of texts) {
    for (const [flag, pattern] of hidden) if (pattern.test(text)) flags.add(flag)
    // Instructions may be hidden between characters that no one sees.
    const plain = text.replace(invisible, '')
    for (const pattern of instructions) if (pattern.test(plain)) flags.add('instruction-like text')
  }
  return [...flags].sort()
}

/** Names that differ only in case, - and _ are the same to a reader in a hurry. */
export function nameKey(name: string): string {
  return name.toLowerCase().replace(/[-_.\s]/g, '')
}

const invisible = /[\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/gu

const hidden: readonly (readonly [string, RegExp])[] = [
  [
    'zero-width characters',
    /[\u00ad\u180e\u200b\u200c\u200e\u200f\u2060-\u2064\ufeff]|(?<!\p{Extended_Pictographic}\ufe0f?)\u200d/u,
  ],
  ['bidirectional control characters', /[\u202a-\u202e\u2066-\u2069]/],
  ['Unicode tag characters', /[\u{e0000}-\u{e007f}]/u],
  ['variation selectors in a row', /[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]{2,}/u],
  ['ANSI escapes', /\u001b|\u009b/],
  ['control characters', /[\u0000-\u0008\u000b\u000c\u000e-\u001a\u001c-\u001f\u007f-\u009a\u009c-\u009f]/],
]

/** Phrases of published tool-poisoning attacks; words that a plain description of a tool does not need. */
const instructions: readonly RegExp[] = [
  /\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:previous|prior|above|earlier|other|all|system)\b.{0,40}\b(?:instruction|prompt|rule|message|tool)/i,
  /<\/?\s*(?:important|system|instructions?|secret|admin|hidden|critical)\s*>/i,
  /\b(?:do not|don't|never|without)\b.{0,30}\b(?:tell|inform|mention|show|reveal|notify|telling|informing|mentioning|alerting)\b.{0,30}\b(?:user|human|person|anyone)/i,
  /\b(?:you must|always)\b.{0,40}\b(?:before|instead of|after|prior to)\b.{0,30}\b(?:us(?:e|ing)|call(?:ing)?|invok(?:e|ing)|run(?:ning)?)\b.{0,30}\b(?:other|any|another|this)\b.{0,15}\btools?\b/i,
  /\b(?:read|send|include|pass|attach|upload)\b.{0,60}(?:~\/\.ssh|id_rsa|\.env\b|\.aws\/credentials|mcp\.json|private key|api[_ ]?keys?\b.{0,20}\b(?:as|in|to)\b)/i,
  /\bnew (?:system )?instructions?\s*:/i,
  /\byou are now\b.{0,40}\b(?:assistant|agent|model|mode)\b/i,
  /\bsystem prompt\b/i,
]

/** The longest text searched: patterns above are cheap, but not free. */
const searchedLength = 20_000

function* textsOf(definition: ToolDefinition): Generator<string> {
  const waiting: unknown[] = [
    definition.name,
    definition.title,
    definition.description,
    definition.annotations,
    definition.inputSchema,
    definition.outputSchema,
  ]
  while (waiting.length > 0) {
    const value = waiting.pop()
    if (typeof value === 'string') yield value.slice(0, searchedLength)
    else if (typeof value === 'object' && value !== null) {
      for (const [key, child] of Object.entries(value)) {
        if (!Array.isArray(value)) yield key
        waiting.push(child)
      }
    }
  }
}
