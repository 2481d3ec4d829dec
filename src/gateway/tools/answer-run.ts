import type { ToolResult } from '../../model/tool-call.js'
import { codeReply } from './code-reply.js'
import type { Caller } from './meta-tool.js'
import type { ReplyDeps } from './reply-bounds.js'
import type { RunForCallerDeps } from './run-for-caller.js'
import { runReply } from './run-reply.js'
import { askInAnswer, type ToolRequest } from './run-rounds.js'
import { isCodeRun, type RunView } from './run-view.js'

/** The answer to a request about a run: the questions it waits for where the client takes them so, else the run as a value. */
export function answerRun(
  view: RunView,
  request: ToolRequest,
  caller: Caller,
  deps: ReplyDeps & Pick<RunForCallerDeps, 'desk' | 'states'>,
): ToolResult {
  const { redact, results } = deps
  const asked = askInAnswer(view, request, caller, deps)
  if (asked !== undefined) return asked
  const describe = isCodeRun(view.run) ? codeReply : runReply
  return describe(view, { redact, results, maxTokens: deps.config().maxResultTokens })
}
