/**
 * Tokens without a tokenizer, for texts of any size: 3 UTF-8 bytes are one token. Measured with o200k (estimate / truth):
 *
 *   prose, code, Chinese   1.3 to 1.6        dense JSON, digits, emoji     0.75 to 0.85
 *   Cyrillic               2.8               hex, UUIDs, base64            0.5 to 0.6
 *
 * So it is high for what people write, and what machines write may take up to twice what it says.
 */
export const bytesPerToken = 3

export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / bytesPerToken)
}
