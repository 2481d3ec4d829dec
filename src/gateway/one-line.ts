/** Control characters, line and paragraph separators, and the invisible characters used to hide text from people. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu

/** The gist of a description: its first sentence or line, without anything invisible. */
export function oneLine(text: string | undefined, maxChars = 160): string {
  // Far more than the gist is never looked at, however long a description a server sends.
  const start = (text ?? '').slice(0, maxChars * 8).trimStart()
  const line = start.split('\n', 1)[0]!.replace(unseen, ' ').replace(/\s+/g, ' ').trim()
  const sentence = /^.{20,}?[.!?](?=\s)/u.exec(line)?.[0] ?? line
  return sentence.length <= maxChars ? sentence : `${sentence.slice(0, maxChars - 3).trimEnd()}...`
}
