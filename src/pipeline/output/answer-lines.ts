import type { ReviewCounts } from '../../core/decisions.js'
import { isDoubtfulLine, renderUnanswered, type Unanswered } from '../answers/answer-line.js'
import type { ReviewColumnName } from '../answers/column-kinds.js'
import {
  renderDecisionMembers,
  renderDecided,
  type DecidedAnswer,
  type ReviewData,
} from '../answers/decided-answer.js'
import { joinLines, withReview, type LineObserver, type WrittenLine } from '../answers/joined-line.js'
import { stageKinds, type LookupKind, type StageKind } from '../../core/lookup-state.js'
import {
  lineVersions,
  renderUnansweredStage,
  getAnsweredLine,
  findUnanswered,
} from '../answers/stage-lines.js'
import type { CheckpointReader, KnownAnswer } from '../checkpoint/lookup.js'
import type { LookupId } from '../../core/lookup-identity.js'
import {
  type StageAnswer,
  readRecords,
  readStageAnswers,
  type FindDecision,
} from '../answers/stage-answers.js'
import type { FirstAnswers } from '../answers/first-answers.js'
import type { RowIndex } from '../input/ingest.js'

/** Number of rows by outcome: one of the service, or one that this program assigns. */
export type RowCounts = ReadonlyMap<string, number>

export interface AnswerLines {
  /** Returns the lines of the rows `first` to `first + count - 1`. */
  read(first: number, count: number): readonly string[]
  /** Returns the rows' numbers. Rows with the same number have the same line. */
  numbers(first: number, count: number): ArrayLike<number>
  /** Returns each number that rows have, in ascending order, with its line. */
  distinct(): { readonly numbers: Uint32Array; readonly lines: () => Iterable<string | Buffer> }
}

/** Number of distinct lines that are read at once. */
const distinctBatch = 256

/** A line with the outcome that is counted. Kept in UTF-8, because Parquet takes it unchanged. */
interface RowLine extends WrittenLine {
  readonly outcome: string
}

interface LookupLine extends Omit<RowLine, 'needsReview'> {
  readonly kind?: LookupKind
}

export interface LineSources {
  readonly index: RowIndex
  readonly reader: CheckpointReader | null
  /** Stages that were requested. */
  readonly stages: readonly StageKind[]
  readonly review: ReviewData
  /** The lookups that an own registry answers; null or absent without one. */
  readonly first?: FirstAnswers | null
}

/**
 * Returns one line for every row, with its decision and its requested stages; rows without an answer get a line with
 * the reason. `rowCounts` and `review` count the rows that were read so far.
 */
export function createAnswerLines(
  sources: LineSources,
  observer: LineObserver | null = null,
): AnswerLines & { readonly rowCounts: RowCounts; readonly review: () => ReviewCounts } {
  const { index } = sources
  const rowCounts = new Map<string, number>()
  const reviewed = { lookups: new Set<LookupId>(), rows: new Map<string, number>() }
  const decided = { rows: new Map<string, number>(), againRowCount: 0 }
  const add = (counts: Map<string, number>, outcome: string, rowCount: number) =>
    counts.set(outcome, (counts.get(outcome) ?? 0) + rowCount)
  const count = (id: LookupId, { outcome, needsReview }: RowLine, rowCount: number) => {
    add(rowCounts, outcome, rowCount)
    const isDecided = outcome !== 'invalid_input' && sources.review.decidedOf(id) !== null
    if (isDecided) add(decided.rows, outcome, rowCount)
    if (!needsReview) return
    if (isDecided) decided.againRowCount += rowCount
    reviewed.lookups.add(id)
    add(reviewed.rows, outcome, rowCount)
  }
  // `distinct` has counted all rows; they may be read again for a basis file.
  let isReadByNumber = false
  const findLines = (ids: ReadonlySet<LookupId>) => {
    const lines = readAnswerLines(ids, sources)
    if (observer !== null) for (const [id, line] of lines) observer.onLine(id, line)
    // After the observer, because new candidates do not count as a change of the row.
    addCandidates(lines, sources.review)
    return lines
  }
  const read = (first: number, rowCount: number) => {
    const ids = index.slice(first, rowCount)
    const lines = findLines(new Set(ids))
    return ids.map((id) => {
      const line = lines.get(id) ?? notSubmitted
      if (!isReadByNumber) count(id, line, 1)
      return line.line.toString()
    })
  }
  const distinct = () => {
    isReadByNumber = true
    const { ids, rowCounts: rowCountsById } = index.getDistinct()
    const generateLines = function* () {
      for (let start = 0; start < ids.length; start += distinctBatch) {
        const batch = [...ids.subarray(start, start + distinctBatch)]
        const lines = findLines(new Set(batch))
        for (const [offset, id] of batch.entries()) {
          const line = lines.get(id) ?? notSubmitted
          count(id, line, rowCountsById[start + offset] ?? 0)
          yield line.line
        }
      }
    }
    return { numbers: ids, lines: generateLines }
  }
  const review = () => ({
    lookupCount: reviewed.lookups.size,
    rowCount: [...reviewed.rows.values()].reduce((sum, rowCount) => sum + rowCount, 0),
    rowsByStatus: Object.fromEntries(reviewed.rows),
    decidedRowsByStatus: Object.fromEntries(decided.rows),
    decidedAgainRowCount: decided.againRowCount,
  })
  return { read, numbers: (first, rowCount) => index.slice(first, rowCount), distinct, rowCounts, review }
}

/** Reads each lookup once, even if several rows share it. */
function readAnswerLines(ids: ReadonlySet<LookupId>, sources: LineSources): Map<LookupId, RowLine> {
  const { index, reader, stages, review, first = null } = sources
  const decided = readDecidedAnswers([...ids], reader, review)
  const asked = [...ids].filter((id) => index.getReason(id) === null && !decided.has(id))
  const answered = reader?.readLines(asked, lineVersions) ?? []
  const found = new Map<LookupId, RowLine>()
  for (const [offset, id] of asked.entries()) {
    const { kind, ...own } = answered[offset] ?? getLine(reader?.readAnswers([id])[0] ?? null)
    const needsReview =
      first?.isContradicted(id) === true ||
      isDoubtfulLine(own.outcome, () => own.line.toString(), review.threshold)
    // The line of a domain needs the columns of the domain stage, too.
    const line = kind === 'domain' ? Buffer.from(joinLines(own.line.toString(), [])) : own.line
    found.set(id, { ...own, line, needsReview })
  }
  for (const id of ids) {
    const reason = index.getReason(id)
    if (reason !== null) found.set(id, unanswered({ status: 'invalid_input', error: reason }))
  }
  for (const [id, { outcome, line, needsReview }] of decided)
    found.set(id, { outcome, line: Buffer.from(line), mark: null, needsReview })
  if (stages.length > 0) addStages(found, sources)
  addSides(found, sources)
  addDecisions(found, sources)
  return found
}

/** Returns the answers of decided lookups by id. Each company's record is read once. */
function readDecidedAnswers(
  ids: readonly LookupId[],
  reader: CheckpointReader | null,
  { decidedOf, urlOf }: ReviewData,
): Map<LookupId, DecidedAnswer> {
  const decided = ids.flatMap((id) => {
    const found = decidedOf(id)
    return found === null ? [] : [[id, found] as const]
  })
  const companies = decided.flatMap(([, { decision }]) => decision.entityId ?? [])
  const records = reader === null ? new Map<string, never>() : readRecords(reader, companies)
  return new Map(
    decided.map(([id, one]) => {
      const { known = null, body = null } = records.get(one.decision.entityId ?? '') ?? {}
      const missing = findUnanswered(known)?.error ?? null
      return [id, renderDecided(one.decision, { body, missing, url: urlOf(one) })] as const
    }),
  )
}

/** Invalid rows have no lookup, so their stages are empty. */
function addStages(
  found: Map<LookupId, RowLine>,
  { index, reader, stages, review, first = null }: LineSources,
): void {
  const isOfRegistry = (id: LookupId) => first?.isSettled(id) === true
  const addFrom = (from: CheckpointReader | null, ids: readonly LookupId[]) => {
    const lines = ids.map(
      (id) => [index.getReason(id) === null ? id : 0, found.get(id)?.line.toString() ?? ''] as const,
    )
    const joined = joinStages(lines, from, stages, review.decidedOf).values()
    for (const id of ids) {
      const own = found.get(id)
      const line = Buffer.from(joined.next().value ?? '')
      if (own !== undefined) found.set(id, { ...own, line, mark: null })
    }
  }
  const ids = [...found.keys()]
  addFrom(
    reader,
    ids.filter((id) => !isOfRegistry(id)),
  )
  // Each side answers the stages of its own rows.
  if (first !== null) addFrom(first.reader, ids.filter(isOfRegistry))
}

/** Adds the side that answered. Rows that a reviewer decided, and rows without an answer, have no side. */
function addSides(found: Map<LookupId, RowLine>, { first = null, review }: LineSources): void {
  if (first === null) return
  for (const [id, own] of found) {
    const isAnswer = !notAnswered.has(own.outcome) && findDecision(id, review, first) === null
    const side = isAnswer ? first.nameSide(id) : null
    const member = `"${'answered_by' satisfies ReviewColumnName}":${JSON.stringify(side)}`
    found.set(id, { ...own, line: Buffer.from(withReview(own.line.toString(), member)), mark: null })
  }
}

/** Outcomes that this program assigns. */
const notAnswered: ReadonlySet<string> = new Set<Unanswered['status']>([
  'pending',
  'uncertain',
  'invalid_input',
  'error',
])

/** Joins first answers with those of their stages, aligned. What several lookups share is read once. */
function joinStages(
  lines: readonly (readonly [id: LookupId, line: string])[],
  reader: CheckpointReader | null,
  asked: readonly StageKind[],
  decidedOf: FindDecision,
): string[] {
  const kinds = stageKinds.filter((kind) => asked.includes(kind))
  const ids = lines.map(([id]) => id)
  const found = reader === null ? [] : readStageAnswers(reader, ids, kinds, decidedOf)
  const shared = new Map<string, string>()
  const toStageLine = (kind: StageKind, answer: StageAnswer | undefined): string => {
    if (answer === undefined) return nothingAsked[kind]
    const key = `${kind} ${answer.name}`
    const line = shared.get(key) ?? renderStageLine(kind, answer)
    shared.set(key, line)
    return line
  }
  return lines.map(([, line], at) =>
    joinLines(
      line,
      kinds.map((kind) => toStageLine(kind, found[at]?.[kind])),
    ),
  )
}

/** Lines of rows whose company or domain is unknown. */
const nothingAsked: Readonly<Record<StageKind, string>> = {
  entity: renderUnansweredStage('entity', null),
  hierarchy: renderUnansweredStage('hierarchy', null),
  domain: renderUnansweredStage('domain', null),
}

function renderStageLine(kind: StageKind, { known }: StageAnswer): string {
  const unanswered = findUnanswered(known)
  return known === null || unanswered !== null
    ? renderUnansweredStage(kind, unanswered)
    : getAnsweredLine(known)
}

const findDecision = (id: LookupId, { decidedOf }: ReviewData, first: FirstAnswers | null) =>
  decidedOf(id)?.decision ?? first?.findDecision(id) ?? null

function addDecisions(found: Map<LookupId, RowLine>, { review, first = null }: LineSources): void {
  for (const [id, own] of found) {
    const decision = findDecision(id, review, first)
    if (decision === null) continue
    const members = renderDecisionMembers(decision)
    found.set(id, { ...own, line: Buffer.from(withReview(own.line.toString(), members)), mark: null })
  }
}

function addCandidates(found: Map<LookupId, RowLine>, { candidates, decidedOf }: ReviewData): void {
  if (candidates === null) return
  const doubtful = [...found].filter(
    ([id, { outcome, line }]) => candidates.isDoubtful(outcome, line) && decidedOf(id) === null,
  )
  const members = candidates.formatMembers(doubtful.map(([id]) => id))
  for (const [id, own] of doubtful) {
    const member = members.get(id)
    if (member === undefined) continue
    found.set(id, { ...own, line: Buffer.from(withReview(own.line.toString(), member)), mark: null })
  }
}

function getLine(known: KnownAnswer | null): LookupLine {
  const reason = findUnanswered(known)
  return known === null || reason !== null
    ? unanswered(reason ?? { status: 'pending' })
    : {
        kind: known.kind,
        outcome: known.outcome ?? 'failed',
        line: Buffer.from(getAnsweredLine(known)),
        mark: null,
      }
}

function unanswered(reason: Unanswered): RowLine {
  const { status } = reason
  return { outcome: status, line: Buffer.from(renderUnanswered(reason)), mark: null, needsReview: false }
}

const notSubmitted: RowLine = unanswered({ status: 'pending' })
