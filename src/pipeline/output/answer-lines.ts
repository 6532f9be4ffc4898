import { renderUnanswered, type Unanswered } from '../rules/answer-line.js'
import { decisionMembers } from '../rules/decided-answer.js'
import { joinLines, withReview } from '../rules/joined-line.js'
import type { LookupKind, StageKind } from '../rules/lookup-kind.js'
import { lineVersions } from '../rules/stage-lines.js'
import type { CheckpointReader, KnownAnswer, LookupId } from '../checkpoint/checkpoint.js'
import type { NumberedLines } from '../../parquet/numbered-lines.js'
import type { RowIndex } from '../input/row-index.js'
import { decidedAnswersOf, type ReviewOfRows } from './decided-lines.js'
import { joinStages } from './joined-stages.js'
import { answeredLineOf, unansweredOf } from './known-line.js'

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

/** A line as it is read for a row of the output. */
export interface WrittenLine {
  /** As UTF-8. */
  readonly line: Buffer
  /** What changes whenever the line does, where it is known without looking at the line. */
  readonly mark: Buffer | null
}

/** Is shown the line of every lookup that rows have, some of them more than once. */
export interface LineWitness {
  see(id: LookupId, line: WrittenLine): void
}

/** Numbers whose lines are read at one time. */
const distinctBatch = 256

/** What a row gets: an outcome that is counted, and its line, in UTF-8: Parquet takes it as it was stored. */
interface RowLine extends WrittenLine {
  readonly outcome: string
}

interface LookupLine extends RowLine {
  readonly kind?: LookupKind
}

export interface LineSources {
  readonly index: RowIndex
  readonly reader: CheckpointReader | null
  /** Those that were asked. */
  readonly stages: readonly StageKind[]
  readonly review: ReviewOfRows
}

/**
 * Every row gets a line: rows without an answer get one that says why; with it is what people decided, and what the stages
 * asked for came to. `rowCounts` is of the rows that were read so far.
 */
export function answerLinesOf(
  sources: LineSources,
  witness: LineWitness | null = null,
): AnswerLines & { readonly rowCounts: RowCounts } {
  const { index } = sources
  const rowCounts = new Map<string, number>()
  const count = (outcome: string, rowCount: number) =>
    rowCounts.set(outcome, (rowCounts.get(outcome) ?? 0) + rowCount)
  // Read by number, rows are counted by it; some of them may be read again for a basis file.
  let isReadByNumber = false
  const found = (ids: ReadonlySet<LookupId>) => {
    const lines = linesOf(ids, sources)
    if (witness !== null) for (const [id, line] of lines) witness.see(id, line)
    // Behind the witness: other candidates are no change of a row.
    addCandidates(lines, sources.review)
    return lines
  }
  const read = (first: number, rowCount: number) => {
    const ids = index.slice(first, rowCount)
    const lines = found(new Set(ids))
    return ids.map((id) => {
      const { outcome, line } = lines.get(id) ?? neverAsked
      if (!isReadByNumber) count(outcome, 1)
      return line.toString()
    })
  }
  const distinct = () => {
    isReadByNumber = true
    const { ids, rowCounts: rowCountsById } = index.distinct()
    const linesInOrder = function* () {
      for (let start = 0; start < ids.length; start += distinctBatch) {
        const batch = [...ids.subarray(start, start + distinctBatch)]
        const lines = found(new Set(batch))
        for (const [offset, id] of batch.entries()) {
          const { outcome, line } = lines.get(id) ?? neverAsked
          count(outcome, rowCountsById[start + offset] ?? 0)
          yield line
        }
      }
    }
    return { numbers: ids, lines: linesInOrder }
  }
  return { read, numbers: (first, rowCount) => index.slice(first, rowCount), distinct, rowCounts }
}

/** Each lookup is read once, however many of the rows ask for it. */
function linesOf(ids: ReadonlySet<LookupId>, sources: LineSources): Map<LookupId, RowLine> {
  const { index, reader, stages, review } = sources
  const decided = decidedAnswersOf([...ids], reader, review)
  const asked = [...ids].filter((id) => index.reasonOf(id) === null && !decided.has(id))
  const answered = reader?.answered(asked, lineVersions) ?? []
  const found = new Map<LookupId, RowLine>()
  for (const [offset, id] of asked.entries()) {
    const { kind, ...own } = answered[offset] ?? lineOf(reader?.known([id])[0] ?? null)
    // That of a domain has the columns of the domain too.
    found.set(id, kind === 'domain' ? { ...own, line: Buffer.from(joinLines(own.line.toString(), [])) } : own)
  }
  for (const id of ids) {
    const reason = index.reasonOf(id)
    if (reason !== null) found.set(id, unanswered({ status: 'invalid_input', error: reason }))
  }
  for (const [id, { outcome, line }] of decided)
    found.set(id, { outcome, line: Buffer.from(line), mark: null })
  if (stages.length > 0) addStages(found, sources)
  addDecisions(found, review)
  return found
}

/** Rows that ask for nothing have no lookup, and empty stages. */
function addStages(found: Map<LookupId, RowLine>, { index, reader, stages, review }: LineSources): void {
  const lines = [...found].map(
    ([id, { line }]) => [index.reasonOf(id) === null ? id : 0, line.toString()] as const,
  )
  const joined = joinStages(lines, reader, stages, review.decidedOf).values()
  for (const [id, { outcome }] of found)
    found.set(id, { outcome, line: Buffer.from(joined.next().value ?? ''), mark: null })
}

function addDecisions(found: Map<LookupId, RowLine>, { decidedOf }: ReviewOfRows): void {
  for (const [id, { outcome, line }] of found) {
    const decided = decidedOf(id)
    if (decided === null) continue
    const members = decisionMembers(decided.decision)
    found.set(id, { outcome, line: Buffer.from(withReview(line.toString(), members)), mark: null })
  }
}

function addCandidates(found: Map<LookupId, RowLine>, { candidates, decidedOf }: ReviewOfRows): void {
  if (candidates === null) return
  const doubtful = [...found].filter(
    ([id, { outcome, line }]) => candidates.isDoubtful(outcome, line) && decidedOf(id) === null,
  )
  const members = candidates.membersOf(doubtful.map(([id]) => id))
  for (const [id, { outcome, line }] of doubtful) {
    const member = members.get(id)
    if (member === undefined) continue
    found.set(id, { outcome, line: Buffer.from(withReview(line.toString(), member)), mark: null })
  }
}

function lineOf(known: KnownAnswer | null): LookupLine {
  const reason = unansweredOf(known)
  return known === null || reason !== null
    ? unanswered(reason ?? { status: 'pending' })
    : {
        kind: known.kind,
        outcome: known.outcome ?? 'failed',
        line: Buffer.from(answeredLineOf(known)),
        mark: null,
      }
}

function unanswered(reason: Unanswered): RowLine {
  return { outcome: reason.status, line: Buffer.from(renderUnanswered(reason)), mark: null }
}

const neverAsked: RowLine = lineOf(null)
