import { UserError } from '../../core/errors.js'
import { systemClock } from '../../platform/clock.js'
import type { ClaimOutcome } from '../store/kept-claims.js'
import type { ReadRow } from '../model/registry-row.js'
import type { ImportItem } from '../model/import-item.js'
import { importLimits } from '../model/limits.js'
import type { ImportSession, UnchangedCounts } from './session.js'

export interface LineReason {
  readonly line: number
  readonly reason: string
}

/** What an import made of a file. Every row is imported, updated, kept for later, rejected or skipped. */
export interface ImportResult {
  readonly rowCount: number
  readonly importedCount: number
  readonly updatedCount: number
  readonly rejectedCount: number
  /** Sound rows with nothing to keep: a relationship that ended, a second line about one code, what a newer file says anew. */
  readonly skippedCount: number
  /** The first of the rejected rows. */
  readonly rejections: readonly LineReason[]
  /** Values left out of rows that were kept, and the first of them. */
  readonly droppedCount: number
  readonly drops: readonly LineReason[]
  /** Rows kept for companies that no file has named yet. */
  readonly keptCount: number
  /** Of the rows updated, those under another name than before: the old one is kept as a former name. */
  readonly renamedCount: number
  /** Of the rows updated, those of a company that an earlier row of the file states: all its names are kept. */
  readonly togetherCount: number
  /** The day of a file of this source that is newer and was imported before: this one only adds what it no longer says. */
  readonly newerFileDate: string | null
  /** What the source named before and no longer does. */
  readonly vanishedCount: number
  /** Claims on companies that no file has named yet; they are kept until one does. */
  readonly waitingCount: number
  /** The very same file was imported the same way before: nothing was done. */
  readonly unchanged: boolean
}

const noCounts = {
  rowCount: 0,
  importedCount: 0,
  updatedCount: 0,
  rejectedCount: 0,
  skippedCount: 0,
  keptCount: 0,
  renamedCount: 0,
  togetherCount: 0,
}

/** What a row adds counts once, wherever it went: it waits only where none of its companies is known. */
function outcomeOf(outcomes: readonly ClaimOutcome[]): ClaimOutcome {
  return outcomes.find((outcome) => outcome === 'updated') ?? outcomes[0] ?? 'superseded'
}

/** Takes what a file is read into to where it belongs, and counts. */
export interface Tally {
  accept(item: ImportItem): void
  rowCount(): number
  /** Commits. Errors: REGISTRY_IMPORT_INVALID when `mustHold` and no row could be taken. */
  finish(mustHold?: boolean): ImportResult
}

export function createTally(session: ImportSession, addsUp: boolean, importedAtMs?: number): Tally {
  const counts = { ...noCounts }
  const rejections: LineReason[] = []
  const drops: LineReason[] = []
  let droppedCount = 0

  const reject = (line: number, reason: string) => {
    counts.rejectedCount++
    if (rejections.length < importLimits.reasonsKeptMax) rejections.push({ line, reason })
  }
  const noteDropped = (line: number, dropped: readonly string[]) => {
    droppedCount += dropped.length
    for (const reason of dropped) {
      if (drops.length < importLimits.reasonsKeptMax) drops.push({ line, reason })
    }
  }
  const count = (outcome: ClaimOutcome) => {
    if (outcome === 'imported') counts.importedCount++
    else if (outcome === 'waiting') counts.keptCount++
    else if (outcome === 'superseded') counts.skippedCount++
    else counts.updatedCount++
    if (outcome === 'renamed') counts.renamedCount++
    if (outcome === 'together') counts.togetherCount++
  }
  const acceptRow = (line: number, { row, reason, dropped }: ReadRow, statedOn: string | null) => {
    noteDropped(line, dropped)
    if (row === null) {
      reject(line, reason ?? 'it cannot be read')
      return
    }
    count(session.state(row, { statedOn, addsUp }))
  }
  return {
    accept(item) {
      counts.rowCount++
      switch (item.kind) {
        case 'registration':
          acceptRow(item.line, item.read, item.statedOn)
          return
        case 'addition':
          noteDropped(item.line, item.dropped)
          count(outcomeOf(item.rows.map((row) => session.state(row, { statedOn: null, addsUp }))))
          return
        case 'relationship':
        case 'code':
        case 'security': {
          const outcome = session.refer(item)
          if (outcome === 'imported') counts.importedCount++
          else if (outcome === 'updated') counts.updatedCount++
          else counts.skippedCount++
          return
        }
        case 'rejected':
          reject(item.line, item.reason)
          return
        case 'skipped':
          counts.skippedCount++
          return
      }
    },
    rowCount: () => counts.rowCount,
    finish(mustHold = false) {
      if (mustHold && counts.rowCount === counts.rejectedCount) throw nothingHeld(counts.rowCount, rejections)
      const end = session.commit(counts, importedAtMs ?? systemClock.nowMs())
      const { newerFileDate } = session
      return { ...counts, rejections, droppedCount, drops, ...end, newerFileDate, unchanged: false }
    },
  }
}

/** Taken as it is, such a file would remove all that was held of its source. */
function nothingHeld(rowCount: number, [first]: readonly LineReason[]): UserError {
  if (first === undefined) return new UserError('REGISTRY_IMPORT_INVALID', 'the file holds no rows')
  return new UserError('REGISTRY_IMPORT_INVALID', `none of the file's ${rowCount} rows can be taken`, {
    hint: `line ${first.line}: ${first.reason}`,
  })
}

export function unchangedResult(counts: UnchangedCounts): ImportResult {
  const nothing = { rejections: [], droppedCount: 0, drops: [], newerFileDate: null }
  return { ...noCounts, ...counts, ...nothing, unchanged: true }
}
