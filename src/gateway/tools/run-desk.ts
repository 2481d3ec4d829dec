import { type BoundedSet, createBoundedSet } from './bounded-set.js'
import { createRunLines, type RunLines } from './run-lines.js'
import { createRunQuestions, type RunQuestions, type RunQuestionsOptions } from './run-questions.js'
import { createSuggestedIntents, type SuggestedIntents } from './suggested-intents.js'

/** What our tools remember of runs from one request to the next. Nothing depends on it after a restart but comfort. */
export interface RunDesk {
  readonly questions: RunQuestions
  readonly lines: RunLines
  readonly suggested: SuggestedIntents
  /** Ids of runs that stopped only to be looked at before they start: going on, they do not stop again. */
  readonly shownFirst: BoundedSet
}

const mostShownFirst = 10_000

export function createRunDesk(options: RunQuestionsOptions): RunDesk {
  return {
    questions: createRunQuestions(options),
    lines: createRunLines(),
    suggested: createSuggestedIntents(),
    shownFirst: createBoundedSet(mostShownFirst),
  }
}
