/** Whoever lists more of them shows within so many what they are. */
const mostLines = 200
const longestThing = 200
const mostWordsOfName = 5

/** Whether a text is a list: several lines, on each of them one path, id, address or name. Prose, code, tables are none. */
export function looksLikeLines(text: string): boolean {
  const lines = text
    .split('\n', mostLines)
    .map((line) => line.trim())
    .filter((line) => line !== '')
  return lines.length > 1 && lines.every(isOneThing)
}

function isOneThing(line: string): boolean {
  if (line.length > longestThing) return false
  if (/^[a-z][a-z0-9+.-]*:\/\/\S+$/i.test(line)) return true
  // What code, tables, settings and markup are made of; what ends as a sentence or a heading does.
  if (/[<>{}()[\]"`;|,=*!?]|: |^[-#>+] |[:.]$/.test(line)) return false
  if (!/\s/.test(line)) return /[\p{L}\p{N}]/u.test(line)
  return isPath(line) || isName(line)
}

/** With spaces in it: told by how it begins, or by the ending of its file. */
function isPath(line: string): boolean {
  return /^(?:\.{0,2}\/|~\/|[a-z]:\\)[^\s/]/i.test(line) || /\S\.[a-z][a-z0-9]{0,4}$/i.test(line)
}

function isName(line: string): boolean {
  const words = line.split(/\s+/)
  return words.length <= mostWordsOfName && words.every((word) => /^[\p{Lu}\p{Lo}\p{N}&]/u.test(word))
}
