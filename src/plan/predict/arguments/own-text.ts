/** A copy. A piece that was cut out of a text keeps all of that text in memory for as long as itself. */
export function ownText(piece: string): string {
  return Buffer.from(piece, 'utf16le').toString('utf16le')
}
