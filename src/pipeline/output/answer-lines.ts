import { runObjectLenient } from '../../contract/resolution.js'
import { answerLineVersion, renderAnswer, renderUnanswered } from '../rules/answer-line.js'
import type { AnsweredLine, CheckpointReader, KnownAnswer, LookupId } from '../checkpoint/checkpoint.js'
import type { NumberedLines } from '../../parquet/numbered-lines.js'
import type { RowIndex } from '../input/row-index.js'

/** Rows by what became of them: an outcome of the service, or one of ours. */
export type RowCounts = ReadonlyMap<string, number>

/** The answer lines of rows, which are counted from 0, in the order of the input. */
export interface AnswerLines {
  /** Of the rows `first` to `first + count - 1`. */
  read(first: number, count: number): readonly string[]
  /** Rows with the same number have the same line. */
  numbers(first: number, count: number): ArrayLike<number>
  /** The line of every number that a row has. */
  distinct(): NumberedLines
}

/** Numbers whose lines are read at one time. */
const distinctBatch = 256

/** Every row gets a line: rows without an answer get one that says why. `rowCounts` is of the rows that were read so far. */
export function answerLinesOf(
  index: RowIndex,
  reader: CheckpointReader | null,
): AnswerLines & { readonly rowCounts: RowCounts } {
  const rowCounts = new Map<string, number>()
  const count = (outcome: string, rowCount: number) =>
    rowCounts.set(outcome, (rowCounts.get(outcome) ?? 0) + rowCount)
  // Read by number, rows are counted by it; some of them may be read again for a basis file.
  let isReadByNumber = false
  const read = (first: number, rowCount: number) => {
    const ids = index.slice(first, rowCount)
    const found = linesOf(new Set(ids), index, reader)
    return ids.map((id) => {
      const { outcome, line } = found.get(id) ?? neverAsked
      if (!isReadByNumber) count(outcome, 1)
      return line.toString()
    })
  }
  const distinct = () => {
    isReadByNumber = true
    const { ids, rowCounts: rowCountsById } = index.distinct()
    const lines = function* () {
      for (let start = 0; start < ids.length; start += distinctBatch) {
        const batch = [...ids.subarray(start, start + distinctBatch)]
        const found = linesOf(new Set(batch), index, reader)
        for (const [offset, id] of batch.entries()) {
          const { outcome, line } = found.get(id) ?? neverAsked
          count(outcome, rowCountsById[start + offset] ?? 0)
          yield line
        }
      }
    }
    return { numbers: ids, lines }
  }
  return { read, numbers: (first, rowCount) => index.slice(first, rowCount), distinct, rowCounts }
}

/** Each lookup is read once, however many of the rows ask for it. */
function linesOf(
  ids: ReadonlySet<LookupId>,
  index: RowIndex,
  reader: CheckpointReader | null,
): Map<LookupId, AnsweredLine> {
  const asked = [...ids].filter((id) => index.reasonOf(id) === null)
  const answered = reader?.answered(asked, answerLineVersion) ?? []
  const found = new Map<LookupId, AnsweredLine>()
  for (const [offset, id] of asked.entries()) {
    const line = answered[offset] ?? lineOf(reader?.known([id])[0] ?? null)
    found.set(id, line)
  }
  for (const id of ids) {
    const reason = index.reasonOf(id)
    if (reason !== null) found.set(id, unanswered('invalid_input', reason))
  }
  return found
}

function lineOf(known: KnownAnswer | null): AnsweredLine {
  if (known === null) return neverAsked
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
      return known.line === null ? neverAsked : answered(known)
  }
}

function answered(known: KnownAnswer): AnsweredLine {
  const line =
    known.lineVersion === answerLineVersion && known.line !== null ? known.line : renderAgain(known)
  return { outcome: known.outcome ?? 'failed', line: Buffer.from(line) }
}

/** The line was made by an older version: made again from what the server sent. */
function renderAgain(known: KnownAnswer): string {
  return renderAnswer(runObjectLenient.parse(JSON.parse(known.body())))
}

function unanswered(
  status: Parameters<typeof renderUnanswered>[0]['status'],
  error: string | null,
  runId: string | null = null,
): AnsweredLine {
  return {
    outcome: status,
    line: Buffer.from(
      renderUnanswered({
        status,
        ...(error === null ? {} : { error }),
        ...(runId === null ? {} : { runId }),
      }),
    ),
  }
}

const neverAsked: AnsweredLine = unanswered('pending', 'not submitted yet')
