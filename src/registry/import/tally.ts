import { UserError } from '../../core/errors.js'
import { systemClock } from '../../platform/clock.js'
import type { ReadRow } from './draft.js'
import type { ImportItem } from './item.js'
import { importLimits } from './limits.js'
import type { ImportSession, UnchangedCounts } from './session.js'

export interface LineReason {
  readonly line: number
  readonly reason: string
}

/** What an import made of a file. Every row is imported, updated, rejected or skipped. */
export interface ImportResult {
  readonly rowCount: number
  readonly importedCount: number
  readonly updatedCount: number
  readonly rejectedCount: number
  /** Sound rows with nothing to keep: a relationship that ended, a second line about one code. */
  readonly skippedCount: number
  /** The first of the rejected rows. */
  readonly rejections: readonly LineReason[]
  /** Values left out of rows that were kept, and the first of them. */
  readonly droppedCount: number
  readonly drops: readonly LineReason[]
  /** What the source named before and no longer does. */
  readonly vanishedCount: number
  /** What the file tells of companies that no file has named yet; it is kept until one does. */
  readonly waitingCount: number
  /** The very same file was imported the same way before: nothing was done. */
  readonly unchanged: boolean
}

/** Takes what a file is read into to where it belongs, and counts. */
export interface Tally {
  accept(item: ImportItem): void
  rowCount(): number
  /** Commits. Errors: REGISTRY_IMPORT_INVALID when `mustHold` and no row could be taken. */
  finish(mustHold?: boolean): ImportResult
}

export function createTally(session: ImportSession, addsUp: boolean): Tally {
  const counts = { rowCount: 0, importedCount: 0, updatedCount: 0, rejectedCount: 0, skippedCount: 0 }
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
  const acceptRow = (line: number, { row, reason, dropped }: ReadRow, statedOn: string | null) => {
    noteDropped(line, dropped)
    if (row === null) {
      reject(line, reason ?? 'it cannot be read')
      return
    }
    if (session.state(row, { statedOn, addsUp }) === 'imported') counts.importedCount++
    else counts.updatedCount++
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
          session.state(item.row, { statedOn: null, addsUp })
          counts.updatedCount++
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
      const end = session.commit(counts, systemClock.nowMs())
      return { ...counts, rejections, droppedCount, drops, ...end, unchanged: false }
    },
  }
}

/** Taken as it is, such a file would make all that was held of its source vanish. */
function nothingHeld(rowCount: number, [first]: readonly LineReason[]): UserError {
  if (first === undefined) return new UserError('REGISTRY_IMPORT_INVALID', 'the file holds no rows')
  return new UserError('REGISTRY_IMPORT_INVALID', `none of the file's ${rowCount} rows can be taken`, {
    hint: `line ${first.line}: ${first.reason}`,
  })
}

export function unchangedResult(counts: UnchangedCounts): ImportResult {
  return { ...counts, skippedCount: 0, rejections: [], droppedCount: 0, drops: [], unchanged: true }
}
