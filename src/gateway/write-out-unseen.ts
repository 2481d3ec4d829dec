const unseen = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/** For who decides by what they read: characters that hide or rearrange text are shown as `\u{...}`; line breaks stay. */
export function writeOutUnseen(text: string): string {
  return text.replace(unseen, (one) => `\\u{${one.codePointAt(0)!.toString(16)}}`)
}
