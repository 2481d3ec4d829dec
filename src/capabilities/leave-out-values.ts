/**
 * A request without what it was about this one time: quoted text, addresses, paths, file names, handles, anything with a digit. What stays
 * says what is done, and holds for the next time as well.
 */
import { redactedMark } from '../model/redact.js'

export function leaveOutValues(text: string, mark: string): string {
  const plain = text.slice(0, longestText).replaceAll(redactedMark, ` ${held} `).replace(quoted, ` ${held} `)
  const words = plain.split(/\s+/u).filter((word) => word !== '')
  return words
    .map((word) => {
      if (kept.test(word)) return word
      const [, before, core, after] = trimmed.exec(word)!
      return word.includes(held) || isValue(core!) ? `${before}${mark}${after}` : word
    })
    .join(' ')
}

/** What is longer is no request but what it is about. */
const longestText = 500
/** Stands for a value until its word is looked at; in no text, as it is no character. */
const held = '\uffff'
/** Parameters that were put in for their values. */
const kept = /^[("']*<[A-Za-z_$][\w$]*>[)"'.,;:!?]*$/u
const quoted = /"[^"]*"|`[^`]*`|“[^”]*”|„[^“”]*[“”]|«[^»]*»|(?<![\p{L}\p{N}])'[^']*'(?![\p{L}\p{N}])/gu
const trimmed = /^([("'[{]*)(.*?)([)"'\]}.,;:!?]*)$/su

function isValue(word: string): boolean {
  return /[\p{N}/\\@#$~=<>|{}*%&]|:\/\/|\p{L}\.\p{L}|^[.-]|^www\./u.test(word)
}
