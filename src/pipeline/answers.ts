import { runObjectLenient } from '../contract/resolution.js'
import { answerLineVersion, renderAnswer, renderUnanswered } from '../core/answer-line.js'
import type { CheckpointReader, KnownAnswer, LookupId } from './checkpoint/checkpoint.js'
import type { RowIndex } from './row-index.js'

/** Rows by what became of them: an outcome of the service, or one of ours. */
export type RowCounts = Map<string, number>

/**
 * The answer lines of rows, and a count of them by status. Every row gets a line: rows without an answer get
 * one that says why.
 */
export function answerLinesOf(
  index: RowIndex,
  reader: CheckpointReader | null,
  counts: RowCounts,
): (first: number, count: number) => readonly string[] {
  return (first, count) => {
    const ids = index.slice(first, count)
    const known = reader?.known(ids) ?? []
    return ids.map((id, offset) => {
      const { status, line } = lineOf(id, known[offset] ?? null, index)
      counts.set(status, (counts.get(status) ?? 0) + 1)
      return line
    })
  }
}

function lineOf(id: LookupId, known: KnownAnswer | null, index: RowIndex): { status: string; line: string } {
  const reason = index.reasonOf(id)
  if (reason !== null) return unanswered('invalid_input', reason)
  if (known === null) return unanswered('pending', 'not submitted yet')
  const { failure, runId } = known
  switch (known.state) {
    case 'answered':
    case 'failed':
      return answered(known)
    case 'invalid':
      return unanswered('invalid_input', failure)
    case 'uncertain':
    case 'intended':
      return unanswered('uncertain', failure ?? 'submitted; the answer is not here yet')
    case 'running':
      return failure === null
        ? unanswered('pending', 'submitted; no answer yet', runId)
        : unanswered('error', failure, runId)
    case 'new':
      // Being asked again: until the new answer comes, the old one is what is known.
      return known.line === null ? unanswered('pending', 'not submitted yet') : answered(known)
  }
}

function answered(known: KnownAnswer): { status: string; line: string } {
  const line =
    known.lineVersion === answerLineVersion && known.line !== null ? known.line : renderAgain(known)
  return { status: known.outcome ?? 'failed', line }
}

/** The line was made by an older version: made again from what the server sent. */
function renderAgain(known: KnownAnswer): string {
  return renderAnswer(runObjectLenient.parse(JSON.parse(known.body())))
}

function unanswered(
  status: Parameters<typeof renderUnanswered>[0]['status'],
  error: string | null,
  runId: string | null = null,
): { status: string; line: string } {
  return {
    status,
    line: renderUnanswered({
      status,
      ...(error === null ? {} : { error }),
      ...(runId === null ? {} : { runId }),
    }),
  }
}
