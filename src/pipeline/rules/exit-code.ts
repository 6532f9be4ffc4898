import { errorCodes, type ExitCode } from '../../core/errors.js'
import { needsAttention, type RunSummary } from './run-summary.js'
import { endedBy, explainStop } from './stop.js'

/** What a process ends with whose run came to this; 130 for an interruption, by whichever signal. */
export function exitCodeOf(summary: RunSummary): ExitCode {
  const ended = endedBy(summary)
  if (ended !== null) {
    const explained = explainStop(ended)
    return explained === null ? 130 : errorCodes[explained.code]
  }
  return needsAttention(summary) ? 3 : 0
}
