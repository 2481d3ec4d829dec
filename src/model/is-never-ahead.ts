import type { Tool } from './tool.js'
import { wordSet } from './word-set.js'
import { splitWords } from './words/split-words.js'

/**
 * Whether a tool is never run before it is asked for, whatever a person, a file or a server says of it: it is said not to read only, or
 * a whole word of its name is one of DESIGN 8. Where this is false the tool is not safe yet: somebody has to say that.
 */
export function isNeverAhead({ name, definition }: Pick<Tool, 'name' | 'definition'>): boolean {
  const { readOnlyHint, destructiveHint } = definition.annotations ?? {}
  if (readOnlyHint === false || destructiveHint === true) return true
  // Also as it is written: `RESETpassword` has humps that hide its word, and `e-mail` is one.
  return [...splitWords(name), ...name.toLowerCase().split(/[^a-z]+/)].some((word) => acts.has(word))
}

/** DESIGN 8, word by word. */
const acts = wordSet(`
  delete remove drop truncate destroy wipe purge erase clear reset revert rollback format kill terminate stop shutdown restart deploy
  release publish push merge force pay payment purchase buy order book charge refund transfer send email mail message post tweet reply
  notify call invite share grant revoke approve sign submit execute exec run eval install uninstall write create insert upsert set
  update put patch add edit modify move rename upload import save store commit start enable disable
`)
