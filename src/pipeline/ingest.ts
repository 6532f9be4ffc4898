import type { AskingRule } from './lookups/asking-rule.js'
import { askedColumns } from './lookups/detect-columns.js'
import { IdentifierCounts } from './lookups/identifier-content.js'
import { openSqlite } from '../platform/sqlite.js'
import type { KeyedLookup, LookupId } from './checkpoint/checkpoint.js'
import type { Input, MemberRow, TextRow } from './input/input.js'
import type { RowSpool } from './output/row-spool.js'
import { RowGrouping, type RowGroups } from './input/row-groups.js'
import { RowIndex } from './input/row-index.js'
import { RowKeys } from './input/row-keys.js'
import {
  createRowReader,
  isNoteworthy,
  keyedQuestion,
  type AskedQuestion,
  type EarlierNames,
  type RowReader,
} from './row-reader.js'

export interface IngestDeps {
  input: Input
  rule: AskingRule
  /** Rows that ask the same share one lookup; otherwise the second of them asks on its own account. */
  dedupe: boolean
  /** Gives each lookup its id, in order; 0 where it has none. */
  place: (lookups: readonly KeyedLookup[]) => Promise<readonly LookupId[]>
  /** Names that were asked before as they stand: an address among names then goes on being asked so. */
  earlier: EarlierNames
  /** Where rows wait for the writing of the output, if they do. */
  spool: RowSpool | null
  /** Where the user's own keys of rows are, if they have any. */
  rowKeyColumn?: string | null
  /** By which rows are counted besides. */
  groupColumn?: string | null
  signal: AbortSignal
}

export interface Ingested {
  readonly index: RowIndex
  /** Of identifiers that are none, and rows that ask without a name. */
  readonly identifierCounts: IdentifierCounts
  /** Null without `rowKeyColumn`; to be closed. */
  readonly rowKeys: RowKeys | null
  /** Null without `groupColumn`. */
  readonly groups: RowGroups | null
}

/** Placed at one time: each time is a commit of the checkpoint, and a sync of the disk. */
const placedRowsMin = 16_384

/** The first pass over the input: every row becomes a lookup or a reason why it is none. */
export async function ingest(deps: IngestDeps): Promise<Ingested> {
  const { signal, spool } = deps
  const index = new RowIndex()
  const identifierCounts = new IdentifierCounts()
  const occurrences = deps.dedupe ? null : new OccurrenceCounter()
  const placer = new RowPlacer(deps, index, identifierCounts, occurrences)
  const besides = new RowsBesides(deps)
  try {
    for await (const { cells, rows } of keyBatches(deps, besides)) {
      signal.throwIfAborted()
      await spool?.add(rows)
      for (const row of besides.take(cells)) placer.add(row)
      if (placer.waitingCount >= placedRowsMin) await placer.place()
    }
    await placer.place()
    await spool?.end()
    return { index, identifierCounts, ...besides.taken() }
  } catch (error) {
    besides.close()
    throw error
  } finally {
    occurrences?.close()
  }
}

interface KeyBatch {
  readonly cells: readonly TextRow[]
  /** The same rows, where they are spooled. */
  readonly rows: readonly MemberRow[]
}

async function* keyBatches(
  { input, rule, spool }: IngestDeps,
  besides: RowsBesides,
): AsyncGenerator<KeyBatch> {
  const names = [...askedColumns(rule.columns), ...besides.columns]
  const memberRows = spool === null ? null : input.keyMemberRows(names)
  if (memberRows === null) for await (const cells of input.keyRows(names)) yield { cells, rows: [] }
  else for await (const rows of memberRows) yield { cells: rows.map((row) => row.cells), rows }
}

/** What is read of rows beside what they ask: its columns stand behind those. */
class RowsBesides {
  readonly columns: readonly string[]
  readonly #askedCount: number
  readonly #rowKeys: RowKeys | null
  readonly #groups: RowGrouping | null

  constructor({ rule, rowKeyColumn = null, groupColumn = null }: IngestDeps) {
    this.columns = [rowKeyColumn, groupColumn].filter((column) => column !== null)
    this.#askedCount = askedColumns(rule.columns).length
    this.#rowKeys = rowKeyColumn === null ? null : new RowKeys(rowKeyColumn)
    this.#groups = groupColumn === null ? null : new RowGrouping(groupColumn)
  }

  /** The cells that are asked. */
  take(cells: readonly TextRow[]): readonly TextRow[] {
    if (this.columns.length === 0) return cells
    this.#rowKeys?.add(cells.map((row) => row[this.#askedCount] ?? null))
    this.#groups?.add(cells.map((row) => row[this.#askedCount + this.columns.length - 1] ?? null))
    return cells.map((row) => row.slice(0, this.#askedCount))
  }

  taken(): Pick<Ingested, 'rowKeys' | 'groups'> {
    return { rowKeys: this.#rowKeys, groups: this.#groups }
  }

  close(): void {
    this.#rowKeys?.close()
  }
}

/** What rows ask that look the same in all they ask; until it is placed, neither an id nor a reason. */
interface Placed {
  id: LookupId
  /** Why they ask for nothing. */
  reason: string | null
  /** Where there is something to tell of it. */
  noted: AskedQuestion | null
}

/** What was not known before, with the cells of the first row that asks it. */
interface Fresh {
  readonly placed: Placed
  readonly cells: TextRow
}

/** Finds the lookup of each row. Rows that look the same in all they ask are found without asking again. */
class RowPlacer {
  readonly #deps: IngestDeps
  readonly #index: RowIndex
  readonly #counts: IdentifierCounts
  readonly #occurrences: OccurrenceCounter | null
  readonly #questionsOf: RowReader
  /** By all cells that are asked; not kept where each row counts. */
  readonly #known = new Map<string, Placed>()
  /** Of each row that waits, in order. */
  #waiting: Placed[] = []
  #fresh: Fresh[] = []

  constructor(
    deps: IngestDeps,
    index: RowIndex,
    counts: IdentifierCounts,
    occurrences: OccurrenceCounter | null,
  ) {
    this.#deps = deps
    this.#index = index
    this.#counts = counts
    this.#occurrences = occurrences
    this.#questionsOf = createRowReader(deps.rule, deps.earlier)
  }

  get waitingCount(): number {
    return this.#waiting.length
  }

  /** Of a row that is known, nothing is kept but that. */
  add(cells: TextRow): void {
    const key = cellsKey(cells)
    let placed = this.#known.get(key)
    if (placed === undefined) {
      placed = { id: 0, reason: null, noted: null }
      const ownKey = ownCopy(key)
      this.#fresh.push({ placed, cells: cellsOfKey(ownKey, cells) })
      if (this.#occurrences === null) this.#known.set(ownKey, placed)
    }
    this.#waiting.push(placed)
  }

  /** Places the rows that wait. */
  async place(): Promise<void> {
    const [waiting, fresh] = [this.#waiting, this.#fresh]
    this.#waiting = []
    this.#fresh = []
    if (fresh.length > 0) await this.#settle(fresh)
    for (const { id, reason, noted } of waiting) {
      if (reason === null) this.#index.add(id)
      else this.#index.addInvalid(reason)
      if (noted !== null) this.#counts.add(noted, this.#index.rowCount)
    }
    if (this.#known.size > knownRowsMax) this.#known.clear()
  }

  async #settle(fresh: readonly Fresh[]): Promise<void> {
    const questions = await this.#questionsOf(fresh.map(({ cells }) => cells))
    const asking: Placed[] = []
    const lookups: KeyedLookup[] = []
    for (const [at, question] of questions.entries()) {
      const placed = fresh[at]?.placed
      if (placed === undefined) continue
      if (question.kind === 'invalid') {
        placed.reason = question.reason
        continue
      }
      if (isNoteworthy(question)) placed.noted = question
      asking.push(placed)
      lookups.push(keyed(question, this.#occurrences))
    }
    const ids = lookups.length === 0 ? [] : await this.#deps.place(lookups)
    for (const [at, placed] of asking.entries()) placed.id = ids[at] ?? 0
  }
}

/** Remembered at one time: some 20 MB. */
const knownRowsMax = 100_000

/** Cells as one text, from which they could be read again: different rows never have the same. */
function cellsKey(cells: TextRow): string {
  let lengths = ''
  for (const cell of cells) lengths += cell === null ? '-,' : `${cell.length},`
  return lengths + cells.join('')
}

/** The cells behind a key, which are those of `like`. */
function cellsOfKey(key: string, like: TextRow): TextRow {
  let at = key.length - like.reduce((length, cell) => length + (cell?.length ?? 0), 0)
  return like.map((cell) => (cell === null ? null : key.slice(at, (at += cell.length))))
}

function keyed(question: AskedQuestion, occurrences: OccurrenceCounter | null): KeyedLookup {
  const first = keyedQuestion(question)
  const occurrence = question.kind === 'resolution' ? (occurrences?.next(first.key) ?? 0) : 0
  return occurrence === 0 ? first : { ...keyedQuestion(question, occurrence), plainKey: first.key }
}

/** The same text without the piece of the input that its cells were cut out of, which would stay in memory with it. */
const ownCopy = (text: string): string => Buffer.from(text, 'utf16le').toString('utf16le')

/** How often a key was seen before; on disk, so that memory stays flat. */
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
