import type { Tool } from '../../model/tool.js'
import { splitWords } from '../../model/words/split-words.js'
import { toolText } from './tool-text.js'

/** Longer texts are cut by most models, and say no more about what the tool is for. */
const longestSentence = 2_000

/** A tool as a model of language reads it best: its name in words, what it does, what it takes. */
export function toolSentence(tool: Tool): string {
  const { server, name, title, description, parameters } = toolText(tool)
  const words = splitWords(name).join(' ')
  const takes = parameters === '' ? '' : ` Parameters: ${parameters}`
  return `${server} ${words}: ${title === '' ? '' : `${title}. `}${description}${takes}`.slice(
    0,
    longestSentence,
  )
}
