import { existsSync, rmSync } from 'node:fs'
import { basename } from 'node:path'
import { publishFile, removeStaleTemporaries, temporaryPath } from '../../platform/files.js'
import type { Encoding } from '../../tables/encodings/names.js'
import { fingerprintFile } from '../../tables/bytes.js'
import type { ImportItem, ReadRow } from '../model/registry-rows.js'
import { importLimits } from '../model/limits.js'
import { openRegistry, type WritableRegistry } from '../registry.js'
import {
  beginImport,
  unchangedSource,
  type ImportSession,
  type SourceFile,
  type UnchangedCounts,
} from './session.js'
import { UserError } from '../../core/errors.js'
import { systemClock } from '../../platform/clock.js'
import type { ClaimOutcome } from '../store/stored-claims.js'

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
interface Tally {
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

function unchangedResult(counts: UnchangedCounts): ImportResult {
  const nothing = { rejections: [], droppedCount: 0, drops: [], newerFileDate: null }
  return { ...noCounts, ...counts, ...nothing, unchanged: true }
}

/** What an importer of any file takes. */
export interface ImportOptions {
  readonly path: string
  /** A newer file of the same source takes the place of the older. The importer names the source if this does not. */
  readonly sourceName?: string
  /** Of which day the file is; without it the day in its name, else that of its last change. */
  readonly dateMs?: number
  /** Of the text; found if left out. */
  readonly encoding?: Encoding
  readonly onProgress?: (rowCount: number) => void
  /** What the user should know of how the file is read: a guessed encoding, lines left out. */
  readonly onNotice?: (text: string) => void
  readonly signal?: AbortSignal
}

/** A file as its format reads it. */
export interface ImportedFile {
  readonly source: Omit<SourceFile, 'fileName' | 'fileDateMs' | 'fileSha256'>
  /** Rows about one company add up, instead of the later taking the place of the former. */
  readonly addsUp: boolean
  /** A file of no row that can be taken is refused. */
  readonly mustHold: boolean
  items(session: ImportSession): AsyncIterable<readonly ImportItem[]>
}

/**
 * Imports a file in one transaction, with bounded memory. Bad rows are counted and named, never fatal. An abort or a
 * kill leaves the registry as it was. Errors: REGISTRY_IMPORT_INVALID, INPUT_NOT_FOUND, INPUT_IS_FOLDER,
 * INPUT_UNREADABLE, INPUT_EMPTY, INPUT_ENCODING_WRONG, _MIXED and _UNSURE, INPUT_NUL_BYTE, INPUT_JSON_INVALID,
 * INPUT_COMPRESSION_CORRUPT; the signal's reason when aborted.
 */
export async function runImport(
  registry: WritableRegistry,
  { path, dateMs, onProgress, signal }: ImportOptions,
  file: ImportedFile,
): Promise<ImportResult> {
  const { sha256, dateMs: changedAtMs } = await fingerprintFile(path)
  const fileName = basename(path)
  const fileDate = dateMs ?? fileDateMs(fileName, changedAtMs)
  const source = { ...file.source, fileName, fileDateMs: fileDate, fileSha256: sha256 }
  const unchanged = unchangedSource(registry.database, source)
  if (unchanged) return unchangedResult(unchanged)
  const session = beginImport(registry.database, source)
  try {
    const tally = createTally(session, file.addsUp)
    for await (const items of file.items(session)) {
      for (const item of items) {
        tally.accept(item)
        if (tally.rowCount() % importLimits.progressEveryRows === 0) onProgress?.(tally.rowCount())
        signal?.throwIfAborted()
      }
    }
    onProgress?.(tally.rowCount())
    return tally.finish(file.mustHold)
  } finally {
    session.rollback()
    registry.contentChanged()
  }
}

/**
 * Imports into the registry at `registryPath`. One that is not there yet is made whole or not at all: a
 * killed or failed first import leaves no empty registry to be answered from.
 * Errors: those of `openRegistry` and of the importer.
 */
export async function importInto(
  registryPath: string,
  importer: (registry: WritableRegistry) => Promise<ImportResult>,
): Promise<ImportResult> {
  const importThenClose = async (registry: WritableRegistry) => {
    try {
      return await importer(registry)
    } finally {
      registry.close()
    }
  }
  if (existsSync(registryPath)) return importThenClose(openRegistry(registryPath))
  removeStaleTemporaries(registryPath)
  const temporary = temporaryPath(registryPath)
  try {
    const result = await importThenClose(openRegistry(temporary, { staging: true }))
    publishFile(temporary, registryPath)
    return result
  } finally {
    for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(temporary + suffix, { force: true })
  }
}

/**
 * The day of a file: registers write it into the names that they publish under
 * (`20240505-0800-gleif-goldencopy…`, `BasicCompanyDataAsOneFile-2026-11-01.csv`), and a copy keeps it, which the
 * time of change does not. That time decides where the name has no day, or one that was still to come.
 */
export function fileDateMs(fileName: string, changedAtMs: number): number {
  const found = dayInName.exec(fileName)
  if (found === null) return changedAtMs
  const [, year = '', separator = '', month = '', day = '', hour = '00', minute = '00'] = found
  const namedMs = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:00Z`)
  const isSameDay = new Date(changedAtMs).toISOString().startsWith(`${year}-${month}-${day}`)
  const isSound = separator.length <= 1 && !Number.isNaN(namedMs) && namedMs <= changedAtMs + dayMs
  return isSound && !isSameDay ? namedMs : changedAtMs
}

const dayMs = 86_400_000

/** Eight digits that stand alone, or the parts with one separator; GLEIF writes the time of day behind. */
const dayInName =
  /(?<!\d)((?:19|20)\d{2})([-_.]?)(0[1-9]|1[0-2])\2(0[1-9]|[12]\d|3[01])(?!\d)(?:-([01]\d|2[0-3])([0-5]\d)(?=-))?/
