import { renderUnanswered, type Unanswered } from '../answers/answer-line.js'
import { isDoubtfulLine } from '../answers/doubtful-line.js'
import type { ReviewCounts } from '../figures/run-summary.js'
import { decisionMembers, renderDecided, type DecidedAnswer } from '../answers/decided-answer.js'
import { joinLines, withReview } from '../answers/joined-line.js'
import { stageKinds, type LookupKind, type StageKind } from '../lookups/lookup-kind.js'
import { lineVersions, renderUnansweredStage } from '../answers/stage-lines.js'
import type { DecidedLookup } from '../lookups/stage-questions.js'
import type { CheckpointReader, KnownAnswer, LookupId, StageAnswer } from '../checkpoint/checkpoint.js'
import { recordsOf, stageAnswersOf, type DecidedOf } from '../checkpoint/stage-answers.js'
import type { NumberedLines } from '../../parquet/part-plan.js'
import type { RowIndex } from '../input/row-index.js'
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
  /** Whether `enrich review` asks about it. */
  readonly needsReview: boolean
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

interface LookupLine extends Omit<RowLine, 'needsReview'> {
  readonly kind?: LookupKind
}

/** What people said of rows, beside what the service did. */
export interface ReviewOfRows {
  readonly decidedOf: DecidedOf
  /** An answer that is less sure is doubtful, 0 to 100. */
  readonly threshold: number
  /** Where the register shows the company that a lookup was decided to be; null where it is not known. */
  readonly urlOf: (decided: DecidedLookup) => string | null
  /** Null where no row has any, or no column is written of them. */
  readonly candidates: CandidatesOfRows | null
}

/** Companies that doubtful rows may mean, as their lines have them. */
export interface CandidatesOfRows {
  /** Whether a row of this outcome and line is doubtful. */
  isDoubtful(outcome: string, line: Buffer): boolean
  /** The member of a line, as JSON without braces, of those lookups that have candidates. */
  membersOf(ids: readonly LookupId[]): ReadonlyMap<LookupId, string>
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
 * asked for came to. `rowCounts` and `review` count the rows that were read so far.
 */
export function answerLinesOf(
  sources: LineSources,
  witness: LineWitness | null = null,
): AnswerLines & { readonly rowCounts: RowCounts; readonly review: () => ReviewCounts } {
  const { index } = sources
  const rowCounts = new Map<string, number>()
  const reviewed = { lookups: new Set<LookupId>(), rows: new Map<string, number>() }
  const add = (counts: Map<string, number>, outcome: string, rowCount: number) =>
    counts.set(outcome, (counts.get(outcome) ?? 0) + rowCount)
  const count = (id: LookupId, { outcome, needsReview }: RowLine, rowCount: number) => {
    add(rowCounts, outcome, rowCount)
    if (!needsReview) return
    reviewed.lookups.add(id)
    add(reviewed.rows, outcome, rowCount)
  }
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
      const line = lines.get(id) ?? neverAsked
      if (!isReadByNumber) count(id, line, 1)
      return line.line.toString()
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
          const line = lines.get(id) ?? neverAsked
          count(id, line, rowCountsById[start + offset] ?? 0)
          yield line.line
        }
      }
    }
    return { numbers: ids, lines: linesInOrder }
  }
  const review = () => ({
    lookupCount: reviewed.lookups.size,
    rowCount: [...reviewed.rows.values()].reduce((sum, rowCount) => sum + rowCount, 0),
    rowsByStatus: Object.fromEntries(reviewed.rows),
  })
  return { read, numbers: (first, rowCount) => index.slice(first, rowCount), distinct, rowCounts, review }
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
    const needsReview = isDoubtfulLine(own.outcome, () => own.line.toString(), review.threshold)
    // That of a domain has the columns of the domain too.
    const line = kind === 'domain' ? Buffer.from(joinLines(own.line.toString(), [])) : own.line
    found.set(id, { ...own, line, needsReview })
  }
  for (const id of ids) {
    const reason = index.reasonOf(id)
    if (reason !== null) found.set(id, unanswered({ status: 'invalid_input', error: reason }))
  }
  for (const [id, { outcome, line, needsReview }] of decided)
    found.set(id, { outcome, line: Buffer.from(line), mark: null, needsReview })
  if (stages.length > 0) addStages(found, sources)
  addDecisions(found, review)
  return found
}

/** The answers of lookups that people decided, by their ids; each company's record is read once. */
function decidedAnswersOf(
  ids: readonly LookupId[],
  reader: CheckpointReader | null,
  { decidedOf, urlOf }: ReviewOfRows,
): Map<LookupId, DecidedAnswer> {
  const decided = ids.flatMap((id) => {
    const found = decidedOf(id)
    return found === null ? [] : [[id, found] as const]
  })
  const companies = decided.flatMap(([, { decision }]) => decision.entityId ?? [])
  const records = reader === null ? new Map<string, never>() : recordsOf(reader, companies)
  return new Map(
    decided.map(([id, one]) => {
      const { known = null, body = null } = records.get(one.decision.entityId ?? '') ?? {}
      const missing = unansweredOf(known)?.error ?? null
      return [id, renderDecided(one.decision, { body, missing, url: urlOf(one) })] as const
    }),
  )
}

/** Rows that ask for nothing have no lookup, and empty stages. */
function addStages(found: Map<LookupId, RowLine>, { index, reader, stages, review }: LineSources): void {
  const lines = [...found].map(
    ([id, { line }]) => [index.reasonOf(id) === null ? id : 0, line.toString()] as const,
  )
  const joined = joinStages(lines, reader, stages, review.decidedOf).values()
  for (const [id, own] of found)
    found.set(id, { ...own, line: Buffer.from(joined.next().value ?? ''), mark: null })
}

/**
 * The lines of first questions, each with what the stages came to that follow from its answer: aligned with the ids. A
 * company or a domain that several of them share is read once.
 */
function joinStages(
  lines: readonly (readonly [id: LookupId, line: string])[],
  reader: CheckpointReader | null,
  asked: readonly StageKind[],
  decidedOf: DecidedOf,
): string[] {
  const kinds = stageKinds.filter((kind) => asked.includes(kind))
  const ids = lines.map(([id]) => id)
  const found = reader === null ? [] : stageAnswersOf(reader, ids, kinds, decidedOf)
  const shared = new Map<string, string>()
  const lineOf = (kind: StageKind, answer: StageAnswer | undefined): string => {
    if (answer === undefined) return nothingAsked[kind]
    const key = `${kind} ${answer.name}`
    const line = shared.get(key) ?? stageLineOf(kind, answer)
    shared.set(key, line)
    return line
  }
  return lines.map(([, line], at) =>
    joinLines(
      line,
      kinds.map((kind) => lineOf(kind, found[at]?.[kind])),
    ),
  )
}

/** Of a row whose company or domain is not known. */
const nothingAsked: Readonly<Record<StageKind, string>> = {
  entity: renderUnansweredStage('entity', null),
  hierarchy: renderUnansweredStage('hierarchy', null),
  domain: renderUnansweredStage('domain', null),
}

function stageLineOf(kind: StageKind, { known }: StageAnswer): string {
  const unanswered = unansweredOf(known)
  return known === null || unanswered !== null
    ? renderUnansweredStage(kind, unanswered)
    : answeredLineOf(known)
}

function addDecisions(found: Map<LookupId, RowLine>, { decidedOf }: ReviewOfRows): void {
  for (const [id, own] of found) {
    const decided = decidedOf(id)
    if (decided === null) continue
    const members = decisionMembers(decided.decision)
    found.set(id, { ...own, line: Buffer.from(withReview(own.line.toString(), members)), mark: null })
  }
}

function addCandidates(found: Map<LookupId, RowLine>, { candidates, decidedOf }: ReviewOfRows): void {
  if (candidates === null) return
  const doubtful = [...found].filter(
    ([id, { outcome, line }]) => candidates.isDoubtful(outcome, line) && decidedOf(id) === null,
  )
  const members = candidates.membersOf(doubtful.map(([id]) => id))
  for (const [id, own] of doubtful) {
    const member = members.get(id)
    if (member === undefined) continue
    found.set(id, { ...own, line: Buffer.from(withReview(own.line.toString(), member)), mark: null })
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
  const { status } = reason
  return { outcome: status, line: Buffer.from(renderUnanswered(reason)), mark: null, needsReview: false }
}

const neverAsked: RowLine = unanswered({ status: 'pending' })
