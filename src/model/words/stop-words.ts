import { stem } from './stem.js'

/**
 * Words that say nothing about which tool is meant. Only words of grammar and of asking: `get`, `list` or `find` are
 * verbs that tools are named after. They stay in the index, so that a query made of nothing else still finds something.
 */
export const stopWords: ReadonlySet<string> = new Set(
  `a about all also am an and any are as at be been but by can could did do does for from had has have help her his
  how i if in into is it its just let like may me might my need no not of on or our please s should so some such t
  than that the their them then there these they this those to too up us use using want was we were what when where
  which who whom why will with would you your`.split(/\s+/),
)

/** The same without their endings, for texts that were taken apart so. */
export const stopStems: ReadonlySet<string> = new Set([...stopWords].map(stem))
