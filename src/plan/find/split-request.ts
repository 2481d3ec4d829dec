/** What comes after these counts in the whole alone. */
const mostParts = 8
/** Fewer words say no more than the whole does. */
const leastWords = 3

const boundary = /(?<=[.?!;]) |\n|,? (?:and|then|also) /i

/** The wishes of a request that holds several: `find a flight and book it. What is the weather?` holds three. */
export function splitRequest(text: string): readonly string[] {
  // One space each: a boundary is then of a known length, and the search for it takes no longer than the text.
  const parts = text
    .replace(/[^\S\n]+/g, ' ')
    .split(boundary)
    .filter((part) => wordCount(part) >= leastWords)
  return parts.length > 1 ? parts.slice(0, mostParts) : []
}

function wordCount(text: string): number {
  return text.match(/\S+/g)?.length ?? 0
}
