import type { KnownAnswer } from '../checkpoint/checkpoint.js'
import type { Unanswered } from '../answers/answer-line.js'
import { lineVersions, renderLine } from '../answers/stage-lines.js'

/** Returns why a lookup has no answer; `null` if it has one, or still has an old one. */
export function findUnanswered(known: KnownAnswer | null): Unanswered | null {
  if (known === null) return notSubmitted
  const { kind, failure } = known
  // Other kinds have an internal name that the service does not know.
  const runId = (kind === 'resolution' ? known.runId : null) ?? undefined
  switch (known.state) {
    case 'answered':
    case 'failed':
      return null
    case 'invalid':
      return { status: 'invalid_input', error: failure ?? undefined }
    case 'uncertain':
    case 'intended':
      return { status: 'uncertain', error: failure ?? 'submitted; the answer is not here yet' }
    case 'running':
      return failure === null
        ? { status: 'pending', error: 'submitted; no answer yet', runId }
        : { status: 'error', error: failure, runId }
    case 'new':
      return known.line === null ? notSubmitted : null
  }
}

const notSubmitted: Unanswered = { status: 'pending', error: 'not submitted yet' }

/** Returns the line of an answer. Lines of an older version are rendered again from the response body. */
export function getAnsweredLine(known: KnownAnswer): string {
  const { kind, lineVersion, line } = known
  return lineVersion === lineVersions[kind] && line !== null
    ? line
    : renderLine(kind, JSON.parse(known.body()))
}
