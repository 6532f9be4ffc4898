import { listLookupColumns, type LookupRule } from './columns.js'
import { IdentifierCounts } from './column-report.js'
import { openSqlite } from '../../platform/sqlite.js'
import type { CheckpointReader, KeyedLookup } from '../checkpoint/lookup.js'
import type { LookupId } from '../../core/lookup-identity.js'
import type { Input, MemberRow, TextRow } from './input.js'
import { RowShapes } from './rows-without-company.js'
import { RowIndex, RowKeys } from './row-index.js'
import { RowGrouping, type RowGroups } from './column-choice.js'
import {
  createRowReader,
  toKeyedLookup,
  type RowReader,
  type ValidQuestion,
  type EarlierNames,
  noEarlierNames,
  openEarlierNames,
} from './row-reader.js'

export {
  getLabelColumn,
  type ColumnReport,
  type IdentifierUse,
  type LookupColumns,
  type LookupRule,
  type NamedColumns,
} from './columns.js'
export { InputColumns } from './input-columns.js'
export { listRegisterCountries } from './identifier-content.js'
export { listLookupColumns } from './columns.js'
export { createRowReader, noEarlierNames } from './row-reader.js'
export type { RowIndex } from './row-index.js'
export type { RowGroups } from './column-choice.js'

/** Takes the rows of the input in order. */
interface RowSink {
  add(rows: readonly MemberRow[]): Promise<void>
  /** Call after the last row. */
  end(): Promise<void>
}

export interface IngestDeps {
  input: Input
  rule: LookupRule
  /** Whether equal rows share one lookup; otherwise each row is looked up separately. */
  dedupe: boolean
  /** How the same rows become lookups of an own registry that answers first; optional. */
  registryRule?: LookupRule | null
  /**
   * Returns the id of each lookup, in order; 0 if it has none. `ofRegistry`: the lookups by `registryRule`, aligned; `null`
   * for a row without one. `unread`: the lookups whose country is no known name.
   */
  place: (
    lookups: readonly KeyedLookup[],
    ofRegistry: readonly (KeyedLookup | null)[],
    unread: ReadonlySet<KeyedLookup>,
  ) => Promise<readonly LookupId[]>
  /**
   * Reads earlier lookups: an address among names that was looked up as a name stays one. A function is called on first
   * use, and its reader is closed. `null` for lookups that cost nothing: earlier lookups must not change their answers.
   */
  earlier: CheckpointReader | (() => CheckpointReader | null) | null
  /** Stores rows until the output is written; optional. */
  spool: RowSink | null
  /** Column of the user's row keys, if any. */
  rowKeyColumn?: string | null
  /** Column for additional counts of rows. */
  groupColumn?: string | null
  signal: AbortSignal
}

export interface Ingested {
  readonly index: RowIndex
  /** Counts of invalid identifiers and of rows without a name. */
  readonly identifierCounts: IdentifierCounts
  /** Null without `rowKeyColumn`; the caller must close it. */
  readonly rowKeys: RowKeys | null
  /** Null without `groupColumn`. */
  readonly groups: RowGroups | null
}

/** Rows placed at once; each batch is one commit of the checkpoint with a disk sync. */
const placedRowsMin = 16_384

/**
 * Reads the input for the first time: each row becomes a lookup or a reason why it has none.
 *
 * @example
 * const { index } = await ingest({ input, rule, dedupe: true, place, earlier: null, spool: null, signal })
 */
export async function ingest(deps: IngestDeps): Promise<Ingested> {
  const { signal, spool } = deps
  const index = new RowIndex()
  const identifierCounts = new IdentifierCounts(
    deps.rule.doubt === undefined ? [] : [deps.rule.doubt],
    deps.rule.columns.identifiers,
  )
  const shapes = new RowShapes(deps.rule.columns)
  const occurrences = deps.dedupe ? null : new OccurrenceCounter()
  const earlier = openEarlierNames(deps.earlier)
  const placer = new RowPlacer({ ...deps, earlier }, index, identifierCounts, occurrences)
  const extraColumns = new ExtraColumns(deps)
  try {
    for await (const { cells, rows } of readBatches(deps, extraColumns)) {
      signal.throwIfAborted()
      await spool?.add(rows)
      for (const row of extraColumns.take(cells)) {
        placer.add(row)
        shapes.add(row)
      }
      if (placer.waitingCount < placedRowsMin) continue
      await placer.place()
      extraColumns.check(index)
    }
    await placer.place()
    extraColumns.end(index)
    await spool?.end()
    identifierCounts.doubts.push(...(await shapes.listDoubts(index)))
    return { index, identifierCounts, ...extraColumns.getResults() }
  } catch (error) {
    extraColumns.close()
    throw error
  } finally {
    earlier.close()
    occurrences?.close()
  }
}

interface KeyBatch {
  readonly cells: readonly TextRow[]
  /** The same rows, if they are spooled. */
  readonly rows: readonly MemberRow[]
}

async function* readBatches(
  { input, rule, spool }: IngestDeps,
  extraColumns: ExtraColumns,
): AsyncGenerator<KeyBatch> {
  const names = [...listLookupColumns(rule.columns), ...extraColumns.columns]
  const memberRows = spool === null ? null : input.rows.keyMembers(names)
  if (memberRows === null) for await (const cells of input.rows.keys(names)) yield { cells, rows: [] }
  else for await (const rows of memberRows) yield { cells: rows.map((row) => row.cells), rows }
}

/** Reads the additional columns of rows, which follow the lookup columns. */
class ExtraColumns {
  readonly columns: readonly string[]
  readonly #askedCount: number
  readonly #rowKeys: RowKeys | null
  readonly #groups: RowGrouping | null

  constructor({ rule, rowKeyColumn = null, groupColumn = null }: IngestDeps) {
    this.columns = [rowKeyColumn, groupColumn].filter((column) => column !== null)
    this.#askedCount = listLookupColumns(rule.columns).length
    this.#rowKeys = rowKeyColumn === null ? null : new RowKeys(rowKeyColumn)
    this.#groups = groupColumn === null ? null : new RowGrouping(groupColumn)
  }

  take(cells: readonly TextRow[]): readonly TextRow[] {
    if (this.columns.length === 0) return cells
    this.#rowKeys?.add(cells.map((row) => row[this.#askedCount] ?? null))
    this.#groups?.add(cells.map((row) => row[this.#askedCount + this.columns.length - 1] ?? null))
    return cells.map((row) => row.slice(0, this.#askedCount))
  }

  /** Call when all rows are placed. */
  check(index: RowIndex): void {
    this.#rowKeys?.check(index)
  }

  end(index: RowIndex): void {
    this.check(index)
    this.#rowKeys?.end()
  }

  getResults(): Pick<Ingested, 'rowKeys' | 'groups'> {
    return { rowKeys: this.#rowKeys, groups: this.#groups }
  }

  close(): void {
    this.#rowKeys?.close()
  }
}

/** Lookup of all rows with the same cells; before placement, it has neither id nor reason. */
interface PlacedLookup {
  id: LookupId
  /** Why there is no lookup. */
  reason: string | null
  /** The question, if it must be reported. */
  noted: ValidQuestion | null
}

/** A new lookup, with the cells of its first row. */
interface NewLookup {
  readonly placed: PlacedLookup
  readonly cells: TextRow
}

/** Finds the lookup of each row. Equal rows are found without further queries. */
class RowPlacer {
  readonly #deps: Pick<IngestDeps, 'place'>
  readonly #index: RowIndex
  readonly #counts: IdentifierCounts
  readonly #occurrences: OccurrenceCounter | null
  readonly #readQuestions: RowReader
  /** `null` if no registry answers first. */
  readonly #readForRegistry: RowReader | null
  /** Lookups by their cells; empty if each row is looked up separately. */
  readonly #known = new Map<string, PlacedLookup>()
  /** Waiting rows, in order. */
  #waiting: PlacedLookup[] = []
  #fresh: NewLookup[] = []

  constructor(
    deps: Pick<IngestDeps, 'rule' | 'registryRule' | 'place'> & { readonly earlier: EarlierNames },
    index: RowIndex,
    counts: IdentifierCounts,
    occurrences: OccurrenceCounter | null,
  ) {
    this.#deps = deps
    this.#index = index
    this.#counts = counts
    this.#occurrences = occurrences
    this.#readQuestions = createRowReader(deps.rule, deps.earlier)
    const { registryRule = null } = deps
    this.#readForRegistry = registryRule === null ? null : createRowReader(registryRule, noEarlierNames)
  }

  get waitingCount(): number {
    return this.#waiting.length
  }

  /** For a known row, only a reference is kept. */
  add(cells: TextRow): void {
    const key = toCellsKey(cells)
    let placed = this.#known.get(key)
    if (placed === undefined) {
      placed = { id: 0, reason: null, noted: null }
      const ownKey = copyText(key)
      this.#fresh.push({ placed, cells: parseCellsKey(ownKey, cells) })
      if (this.#occurrences === null) this.#known.set(ownKey, placed)
    }
    this.#waiting.push(placed)
  }

  /** Places the waiting rows. */
  async place(): Promise<void> {
    const [waiting, fresh] = [this.#waiting, this.#fresh]
    this.#waiting = []
    this.#fresh = []
    if (fresh.length > 0) await this.#settle(fresh)
    for (const { id, reason, noted } of waiting) {
      if (reason === null) this.#index.add(id)
      else {
        this.#index.addInvalid(reason)
        this.#counts.addInvalid(reason, this.#index.rowCount)
      }
      if (noted !== null) this.#counts.add(noted, this.#index.rowCount)
    }
    if (this.#known.size > knownRowsMax) this.#known.clear()
  }

  async #settle(fresh: readonly NewLookup[]): Promise<void> {
    const rows = fresh.map(({ cells }) => cells)
    const questions = await this.#readQuestions(rows)
    const others = (await this.#readForRegistry?.(rows)) ?? []
    const asking: PlacedLookup[] = []
    const lookups: KeyedLookup[] = []
    const ofRegistry: (KeyedLookup | null)[] = []
    const unread = new Set<KeyedLookup>()
    for (const [at, question] of questions.entries()) {
      const placed = fresh[at]?.placed
      if (placed === undefined) continue
      if (question.kind === 'invalid') {
        placed.reason = question.reason
        continue
      }
      if (isNoteworthy(question)) placed.noted = question
      asking.push(placed)
      const lookup = buildKeyedLookup(question, this.#occurrences)
      lookups.push(lookup)
      if (question.unknownCountry !== undefined) unread.add(lookup)
      const other = others[at]
      if (other !== undefined) ofRegistry.push(other.kind === 'invalid' ? null : toKeyedLookup(other))
    }
    const ids = lookups.length === 0 ? [] : await this.#deps.place(lookups, ofRegistry, unread)
    for (const [at, placed] of asking.entries()) placed.id = ids[at] ?? 0
  }
}

/** Rows remembered at once: about 20 MB. */
const knownRowsMax = 100_000

/** Returns an unambiguous text for a row's cells. */
function toCellsKey(cells: TextRow): string {
  let lengths = ''
  for (const cell of cells) lengths += cell === null ? '-,' : `${cell.length},`
  return lengths + cells.join('')
}

/** Returns the cells in a key; their lengths are those of `like`. */
function parseCellsKey(key: string, like: TextRow): TextRow {
  let at = key.length - like.reduce((length, cell) => length + (cell?.length ?? 0), 0)
  return like.map((cell) => (cell === null ? null : key.slice(at, (at += cell.length))))
}

function buildKeyedLookup(question: ValidQuestion, occurrences: OccurrenceCounter | null): KeyedLookup {
  const first = toKeyedLookup(question)
  const occurrence = question.kind === 'resolution' ? (occurrences?.next(first.key) ?? 0) : 0
  if (occurrence > 0) return { ...toKeyedLookup(question, occurrence), plainKey: first.key }
  if (question.kind === 'domain' || question.domain === undefined) return first
  const lookup = { name: question.domain, location: null, context: null }
  return { ...first, plainKey: toKeyedLookup({ kind: 'domain', lookup, faults: [] }).key }
}

/** Copies a text, so that it does not keep the piece of the input alive from which it was sliced. */
const copyText = (text: string): string => Buffer.from(text, 'utf16le').toString('utf16le')

/** Counts the occurrences of keys; on disk, so that memory use stays constant. */
class OccurrenceCounter {
  readonly #database = openSqlite('', { synchronous: 'NORMAL', journal: 'OFF' })
  readonly #next

  constructor() {
    this.#database.exec('CREATE TABLE seen (key BLOB PRIMARY KEY, count INTEGER NOT NULL) WITHOUT ROWID')
    this.#next = this.#database
      .prepare<[Uint8Array], number>(
        'INSERT INTO seen VALUES (?, 0) ON CONFLICT (key) DO UPDATE SET count = count + 1 RETURNING count',
      )
      .pluck()
  }

  next(key: Uint8Array): number {
    return this.#next.get(key) ?? 0
  }

  close(): void {
    this.#database.close()
  }
}

const isNoteworthy = (question: ValidQuestion): boolean =>
  question.kind === 'domain' ||
  question.byIdentifier ||
  question.faults.length > 0 ||
  question.unknownCountry !== undefined
