/** At most so many characters of a text; where it is longer, the last three say so. */
export function shorten(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, Math.max(0, most - 3))}...`
}
