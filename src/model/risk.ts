/** What a call may do at worst: nothing, something that can be undone, or harm. A false `safe` is the error that counts. */
export type Risk = 'safe' | 'moderate' | 'dangerous'
