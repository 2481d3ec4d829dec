import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { definitionText } from '../../dist/model/tool.js'

/** o200k tokens of a text; what looks like a special token is ordinary text here. */
export function tokensOfText(text) {
  return countTokens(text, { disallowedSpecial: new Set() })
}

/** What a client's model reads of a list of tools: name, description and inputSchema of each. */
export function tokensOfTools(tools) {
  return tools.reduce((sum, tool) => sum + tokensOfText(definitionText(tool)), 0)
}
