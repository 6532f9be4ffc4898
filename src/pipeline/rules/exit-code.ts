import { errorCodes, type ExitCode } from '../../core/errors.js'
import { needsAttention, type RunSummary } from './run-summary.js'
import { endedBy, explainStop } from './stop.js'

/** What a process ends with whose run came to this; `interrupted` is the code of the signal that stopped it, if one did. */
export function exitCodeOf(summary: RunSummary, interrupted: ExitCode): ExitCode {
  const ended = endedBy(summary)
  if (ended !== null) {
    const explained = explainStop(ended)
    return explained === null ? interrupted : errorCodes[explained.code]
  }
  return needsAttention(summary) ? 3 : 0
}
