import { createHash } from 'node:crypto'
import { createReadStream, existsSync, rmSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import { publishFile, removeStaleTemporaries, buildTemporaryPath } from '../../platform/files.js'
import type { Encoding } from '../../core/file-formats.js'
import { toFileError } from '../../tables/limits-and-errors.js'
import { openOneFile } from '../../tables/text-tables.js'
import type { StatedRow } from '../model/registry-rows.js'
import { importLimits } from '../model/limits.js'
import type { ReadItem } from './item-thread.js'
import type { DerivedRow } from '../store/registration-columns.js'
import { openRegistry, type WritableRegistry } from '../registry.js'
import {
  beginImport,
  type DroppedValue,
  findUnchangedSource,
  type ImportResult,
  type ImportSession,
  type LineReason,
  type SourceFile,
  type UnchangedCounts,
} from './session.js'
import { UserError } from '../../core/errors.js'
import { systemClock } from '../../platform/clock.js'
import { RepeatedRowError } from '../store/name-index.js'
import { parseFileName } from './file-name.js'
import type { ClaimOutcome } from '../store/stored-claims.js'

const noCounts = {
  rowCount: 0,
  importedCount: 0,
  updatedCount: 0,
  rejectedCount: 0,
  skippedCount: 0,
  skips: { ended: 0, outside: 0, excluded: 0, repeated: 0, superseded: 0 },
  keptCount: 0,
  renamedCount: 0,
  togetherCount: 0,
}

/** A row with several additions counts once, as waiting only if none of its companies is known. */
function combineOutcomes(outcomes: readonly ClaimOutcome[]): ClaimOutcome {
  return outcomes.find((outcome) => outcome === 'updated') ?? outcomes[0] ?? 'superseded'
}

/** Counts dropped values by their reason. */
class DroppedValues {
  readonly #values = new Map<string, { line: number; reason: string; count: number; lines: number[] }>()
  count = 0

  add(line: number, reasons: readonly string[]): void {
    for (const reason of reasons) {
      this.count++
      const value = this.#values.get(reason) ?? { line, reason, count: 0, lines: [] }
      value.count++
      if (value.lines.length < importLimits.linesKeptMax) value.lines.push(line)
      if (this.#values.size < importLimits.droppedValuesMax) this.#values.set(reason, value)
    }
  }

  /** Lists the most frequent values first. */
  list(): DroppedValue[] {
    const found = [...this.#values.values()].sort((one, other) => other.count - one.count)
    return found.slice(0, importLimits.reasonsKeptMax)
  }
}

/** Stores the items of a file and counts them. */
export class Tally {
  readonly #session: ImportSession
  readonly #addsUp: boolean
  readonly #counts = { ...noCounts, skips: { ...noCounts.skips } }
  readonly #rejections: LineReason[] = []
  readonly #dropped = new DroppedValues()

  constructor(session: ImportSession, addsUp: boolean) {
    this.#session = session
    this.#addsUp = addsUp
  }

  get rowCount(): number {
    return this.#counts.rowCount
  }

  process(item: ReadItem): void {
    this.#counts.rowCount++
    switch (item.kind) {
      case 'registration':
        this.#processRegistration(item)
        return
      case 'addition':
        this.#dropped.add(item.line, item.dropped)
        this.#count(combineOutcomes(item.rows.map((row) => this.#record(row, null))), item.line)
        return
      case 'relationship':
      case 'code':
      case 'security': {
        const outcome = this.#session.writeReference(item)
        if (outcome === 'repeated') this.#counts.skips.repeated++
        else this.#count(outcome, item.line)
        return
      }
      case 'rejected':
        this.#reject(item.line, item.reason)
        return
      case 'skipped':
        this.#counts.skips[item.why]++
        return
    }
  }

  /** Commits. Errors: REGISTRY_IMPORT_INVALID if `mustHold` is set and no row was accepted. */
  finish({ mustHold = false, importedAtMs = systemClock.nowMs() } = {}): ImportResult {
    const [counts, rejections] = [this.#counts, this.#rejections]
    if (mustHold && counts.rowCount === counts.rejectedCount)
      throw createNoRowsError(counts.rowCount, rejections)
    const end = this.#session.commit(counts, importedAtMs)
    const { newerFileDate } = this.#session
    const dropped = { droppedCount: this.#dropped.count, drops: this.#dropped.list() }
    counts.importedCount -= end.newKeyCount
    counts.updatedCount += end.newKeyCount
    counts.skippedCount = Object.values(counts.skips).reduce((sum, count) => sum + count, 0)
    return { ...counts, rejections, ...dropped, ...end, newerFileDate, unchanged: false }
  }

  #processRegistration({ line, read, statedOn, derived }: ReadItem & { kind: 'registration' }): void {
    const { row, reason, dropped } = read
    this.#dropped.add(line, dropped)
    if (row === null) this.#reject(line, reason ?? 'it cannot be read')
    else this.#count(this.#record(row, statedOn, derived), line)
  }

  #record(row: StatedRow, statedOn: string | null, derived?: DerivedRow): ClaimOutcome {
    return this.#session.recordClaim(row, { statedOn, addsUp: this.#addsUp, derived })
  }

  #count(outcome: ClaimOutcome, line: number): void {
    const counts = this.#counts
    if (typeof outcome !== 'string') this.#reject(line, outcome.reason)
    else if (outcome === 'imported') counts.importedCount++
    else if (outcome === 'waiting') counts.keptCount++
    else if (outcome === 'superseded') counts.skips.superseded++
    else counts.updatedCount++
    if (outcome === 'renamed') counts.renamedCount++
    if (outcome === 'together') counts.togetherCount++
  }

  #reject(line: number, reason: string): void {
    this.#counts.rejectedCount++
    if (this.#rejections.length < importLimits.reasonsKeptMax) this.#rejections.push({ line, reason })
  }
}

/** An import of such a file would remove all registrations of its source. */
function createNoRowsError(rowCount: number, [first]: readonly LineReason[]): UserError {
  if (first === undefined) return new UserError('REGISTRY_IMPORT_INVALID', 'the file has no rows')
  return new UserError('REGISTRY_IMPORT_INVALID', `none of the file's ${rowCount} rows could be imported`, {
    hint: `line ${first.line}: ${first.reason}`,
  })
}

function buildUnchangedResult(counts: UnchangedCounts): ImportResult {
  const nothing = { rejections: [], droppedCount: 0, drops: [], newerFileDate: null }
  return { ...noCounts, ...counts, ...nothing, unchanged: true }
}

export interface ImportOptions {
  readonly path: string
  /** Further files of the same edition, which are imported together; optional, defaults to none. */
  readonly morePaths?: readonly string[]
  /** A newer file replaces an older one of the same source. Defaults to a name from the importer. */
  readonly sourceName?: string
  /** Date of the file; defaults to that of `readFileDateMs`, which `isDateFound` says of the given one. */
  readonly dateMs?: number
  readonly isDateFound?: boolean
  /** Detected if absent. */
  readonly encoding?: Encoding | undefined
  readonly onProgress?: (rowCount: number) => void
  /** Receives notices about reading the file, such as a detected encoding or skipped lines. */
  readonly onNotice?: (text: string) => void
  readonly signal?: AbortSignal
}

/** A file with the reader of its format. */
export interface ImportedFile {
  readonly source: Omit<SourceFile, 'fileName' | 'fileDateMs' | 'isDateStated' | 'fileSha256'>
  /** Rows about one company are merged; otherwise the later row replaces the earlier one. */
  readonly addsUp: boolean
  /** Refuse a file without accepted rows. */
  readonly mustHold: boolean
  items(session: ImportSession): AsyncIterable<Iterable<ReadItem>>
}

/**
 * Imports a file in one transaction with bounded memory. Invalid rows are counted and reported. After an abort or a
 * kill the registry is unchanged. Errors: REGISTRY_IMPORT_INVALID, INPUT_NOT_FOUND, INPUT_IS_FOLDER, INPUT_UNREADABLE,
 * INPUT_EMPTY, INPUT_ENCODING_WRONG, _MIXED and _UNSURE, INPUT_NUL_BYTE, INPUT_JSON_INVALID,
 * INPUT_COMPRESSION_CORRUPT; the signal's reason if aborted.
 */
export async function runImport(
  registry: WritableRegistry,
  { path, morePaths = [], dateMs, isDateFound = dateMs === undefined, onProgress, signal }: ImportOptions,
  file: ImportedFile,
): Promise<ImportResult> {
  const { sha256, dateMs: changedAtMs } = await hashFiles(path, morePaths)
  const fileName = basename(path)
  const fileDate = dateMs ?? (await readFileDateMs(path, changedAtMs, systemClock.nowMs()))
  const dated = { fileDateMs: fileDate, isDateStated: !isDateFound }
  const source = { ...file.source, fileName, ...dated, fileSha256: sha256 }
  const unchanged = findUnchangedSource(registry.database, source)
  if (unchanged) return buildUnchangedResult(unchanged)
  const load = (mayRepeat: boolean) => importOnce(registry, { source, file, mayRepeat, onProgress, signal })
  try {
    return await load(false)
  } catch (error) {
    if (!(error instanceof RepeatedRowError)) throw error
    return await load(true)
  }
}

interface ImportTry {
  readonly onProgress: ImportOptions['onProgress'] | undefined
  readonly signal: AbortSignal | undefined
  readonly source: SourceFile
  readonly file: ImportedFile
  readonly mayRepeat: boolean
}

async function importOnce(
  registry: WritableRegistry,
  { source, file, mayRepeat, onProgress, signal }: ImportTry,
): Promise<ImportResult> {
  const session = beginImport(registry.database, source, mayRepeat)
  try {
    const tally = new Tally(session, file.addsUp)
    for await (const items of file.items(session)) {
      for (const item of items) {
        tally.process(item)
        if (tally.rowCount % importLimits.progressEveryRows === 0) onProgress?.(tally.rowCount)
        signal?.throwIfAborted()
      }
    }
    onProgress?.(tally.rowCount)
    return tally.finish({ mustHold: file.mustHold })
  } finally {
    session.rollback()
    registry.contentChanged()
  }
}

/**
 * Returns the SHA-256 of files on disk, and the modification time of the first one. Throws INPUT_NOT_FOUND,
 * INPUT_IS_FOLDER and INPUT_UNREADABLE.
 */
async function hashFiles(
  path: string,
  morePaths: readonly string[],
): Promise<{ sha256: string; dateMs: number }> {
  const hash = createHash('sha256')
  for (const one of [path, ...morePaths]) {
    try {
      for await (const chunk of createReadStream(one)) hash.update(chunk as Buffer)
    } catch (error) {
      throw toFileError(error, one)
    }
  }
  return { sha256: hash.digest('hex'), dateMs: statSync(path).mtimeMs }
}

/**
 * Imports into the registry at `registryPath`. A new registry is published only after a complete import, so a failed
 * one never leaves an empty registry. Errors: those of `openRegistry` and of the importer; DISK_FULL.
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
  const temporary = buildTemporaryPath(registryPath)
  try {
    if (existsSync(registryPath)) return await importThenClose(openRegistry(registryPath))
    removeStaleTemporaries(registryPath)
    const result = await importThenClose(openRegistry(temporary, { staging: true }))
    publishFile(temporary, registryPath)
    return result
  } catch (error) {
    throw explainFullDisk(error, registryPath)
  } finally {
    for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(temporary + suffix, { force: true })
  }
}

/** Returns DISK_FULL for the error of a disk without space for a registry and its temporary files; others unchanged. */
export function explainFullDisk(error: unknown, registryPath: string): unknown {
  const codes = [error, (error as Error).cause].map((one) => (one as NodeJS.ErrnoException | undefined)?.code)
  if (!codes.some((code) => /^(?:SQLITE_FULL|ENOSPC|EDQUOT)$/.test(code ?? ''))) return error
  const hint = 'free some space and run the same command again; an earlier edition answers until then'
  return new UserError('DISK_FULL', `no space left for the registry ${registryPath}`, { hint, cause: error })
}

/**
 * Returns the date of a file: in its name, which copies keep, else in its content (GLEIF's `ContentDate`), else its time
 * of change. A date before 1990 or in the future is ignored. Errors: INPUT_NOT_FOUND, INPUT_UNREADABLE.
 */
export async function readFileDateMs(path: string, changedAtMs: number, nowMs: number): Promise<number> {
  const named = findDateInName(basename(path), changedAtMs)
  if (named !== null && isPlausible(named, nowMs)) return named
  const stated = await readContentDate(path)
  if (stated !== null && isPlausible(stated, nowMs)) return stated
  return isPlausible(changedAtMs, nowMs) ? changedAtMs : nowMs
}

const largestOffsetMs = 14 * 3_600_000
const earliestMs = Date.UTC(1990, 0, 1)

/** A day that has begun in some time zone is not in the future. */
const isPlausible = (ms: number, nowMs: number): boolean => ms >= earliestMs && ms <= nowMs + largestOffsetMs

/** The time of change is more exact on the same day, unless the name has the time. */
function findDateInName(fileName: string, changedAtMs: number): number | null {
  const { dateMs, hasTime } = parseFileName(fileName)
  const toDay = (ms: number) => new Date(ms).toISOString().slice(0, 10)
  return dateMs !== null && !hasTime && toDay(dateMs) === toDay(changedAtMs) ? changedAtMs : dateMs
}

/** The header of a file of GLEIF is at its beginning. */
const headBytesMax = 16_384
const contentDate = /"(?:\w+:)?ContentDate"\s*:\s*(?:\{\s*"\$"\s*:\s*)?"([^"]{10,40})"/

async function readContentDate(path: string): Promise<number | null> {
  let head = ''
  try {
    const file = await openOneFile(path, null)
    for await (const chunk of file.bytes()) {
      head += chunk.toString('latin1')
      if (head.length >= headBytesMax) break
    }
  } catch (error) {
    if (!(error instanceof UserError) || error.code === 'INPUT_NOT_FOUND') throw error
    return null
  }
  const ms = Date.parse(contentDate.exec(head.slice(0, headBytesMax))?.[1] ?? '')
  return Number.isNaN(ms) ? null : ms
}
