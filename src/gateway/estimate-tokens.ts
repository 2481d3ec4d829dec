/**
 * Tokens without a tokenizer, for texts of any size: 3 UTF-8 bytes are one token. o200k really takes 4.1 bytes of prose or
 * code, 2.0 to 2.5 of dense JSON and 1.5 of base64 per token (measured on this repository's files), so the estimate is high
 * for what people write and low for what machines write, by a third at most.
 */
export const bytesPerToken = 3

export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / bytesPerToken)
}

/**
 * The JSON length of a value in characters, or `limit` as soon as it is known to be longer: large values are never walked
 * to their end. Iterative, so that no depth of nesting can exhaust the stack.
 */
export function jsonLength(value: unknown, limit: number): number {
  const open: unknown[] = [value]
  let length = 0
  while (open.length > 0 && length < limit) {
    const one = open.pop()
    if (typeof one === 'string') length += one.length + 2
    else if (Array.isArray(one)) {
      length += 2 + one.length
      for (let i = 0; i < one.length && i < limit; i++) open.push(one[i])
    } else if (typeof one === 'object' && one !== null) {
      length += 2
      for (const key in one) {
        length += key.length + 4
        if (length >= limit) break
        open.push((one as Record<string, unknown>)[key])
      }
    } else length += 5
  }
  return Math.min(length, limit)
}
