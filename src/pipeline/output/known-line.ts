import type { KnownAnswer } from '../checkpoint/checkpoint.js'
import type { Unanswered } from '../answers/answer-line.js'
import { lineVersions, renderLine } from '../answers/stage-lines.js'

/** Why what is known of a lookup is no answer; null where it is one, or an old one until the new one comes. */
export function unansweredOf(known: KnownAnswer | null): Unanswered | null {
  if (known === null) return neverAsked
  const { kind, failure } = known
  // Of other kinds it is a name of ours, that the service does not know.
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
      return known.line === null ? neverAsked : null
  }
}

const neverAsked: Unanswered = { status: 'pending', error: 'not submitted yet' }

/** The line of an answer; one of an older version is made again from what the server sent. */
export function answeredLineOf(known: KnownAnswer): string {
  const { kind, lineVersion, line } = known
  return lineVersion === lineVersions[kind] && line !== null
    ? line
    : renderLine(kind, JSON.parse(known.body()))
}
