import type { AskingRule } from './rules/asking-rule.js'
import { askedColumns } from './rules/detect-columns.js'
import { IdentifierCounts } from './rules/identifier-faults.js'
import type { Lookup } from '../core/identity.js'
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
  type RowReader,
} from './row-reader.js'

export interface IngestDeps {
  input: Input
  rule: AskingRule
  /** Rows that ask the same share one lookup; otherwise the second of them asks on its own account. */
  dedupe: boolean
  /** Gives each lookup its id, in order; 0 where it has none. */
  place: (lookups: readonly KeyedLookup[]) => Promise<readonly LookupId[]>
  /** Whether a name was asked before as it stands: an address among names then goes on being asked so. */
  wasAsked: (lookup: Lookup) => boolean
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
const placedRowsMin = 8_192

/** The first pass over the input: every row becomes a lookup or a reason why it is none. */
export async function ingest(deps: IngestDeps): Promise<Ingested> {
  const { signal, spool } = deps
  const index = new RowIndex()
  const identifierCounts = new IdentifierCounts()
  const occurrences = deps.dedupe ? null : new OccurrenceCounter()
  const placer = new RowPlacer(deps, index, identifierCounts, occurrences)
  const besides = new RowsBesides(deps)
  try {
    let waiting: TextRow[] = []
    for await (const { cells, rows } of keyBatches(deps, besides)) {
      signal.throwIfAborted()
      await spool?.add(rows)
      waiting.push(...besides.take(cells))
      if (waiting.length < placedRowsMin) continue
      await placer.place(waiting)
      waiting = []
    }
    if (waiting.length > 0) await placer.place(waiting)
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

/** Finds the lookup of each row. Rows that look the same in all they ask are found without asking again. */
class RowPlacer {
  readonly #deps: IngestDeps
  readonly #index: RowIndex
  readonly #counts: IdentifierCounts
  readonly #occurrences: OccurrenceCounter | null
  readonly #questionOf: RowReader
  /** By all cells that are asked; not kept where each row counts. */
  readonly #known = new Map<string, { id: LookupId; question: AskedQuestion | null }>()

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
    this.#questionOf = createRowReader(deps.rule, deps.wasAsked)
  }

  async place(rows: readonly TextRow[]): Promise<void> {
    const keys = rows.map(cellsKey)
    const unknown = rows.filter((_, at) => !this.#known.has(keys[at] ?? ''))
    const read = (await this.#questionOf(unknown)).values()
    const questions = keys.map((key) => (this.#known.has(key) ? null : (read.next().value ?? null)))
    const lookups = questions.flatMap((question) =>
      question === null || question.kind === 'invalid' ? [] : [keyed(question, this.#occurrences)],
    )
    const ids = (lookups.length === 0 ? [] : await this.#deps.place(lookups)).values()
    for (const [at, question] of questions.entries()) {
      const key = keys[at] ?? ''
      const known = question === null ? this.#known.get(key) : undefined
      if (question?.kind === 'invalid') this.#index.addInvalid(question.reason)
      else if (question === null) this.#add(known?.id ?? 0, known?.question ?? null)
      else this.#remember(key, ids.next().value ?? 0, question)
    }
    if (this.#known.size > knownRowsMax) this.#known.clear()
  }

  #remember(key: string, id: LookupId, question: AskedQuestion): void {
    const noted = isNoteworthy(question) ? question : null
    this.#add(id, noted)
    if (this.#occurrences === null) this.#known.set(ownCopy(key), { id, question: noted })
  }

  #add(id: LookupId, question: AskedQuestion | null): void {
    this.#index.add(id)
    if (question !== null) this.#counts.add(question, this.#index.rowCount)
  }
}

/** Remembered at one time: some 20 MB. */
const knownRowsMax = 100_000

/** Cells as one text, from which they could be read again: different rows never have the same. */
function cellsKey(cells: TextRow): string {
  let key = ''
  for (const cell of cells) key += cell === null ? '-' : `${cell.length}:${cell}`
  return key
}

function keyed(question: AskedQuestion, occurrences: OccurrenceCounter | null): KeyedLookup {
  const first = keyedQuestion(question)
  const occurrence = question.kind === 'resolution' ? (occurrences?.next(first.key) ?? 0) : 0
  return occurrence === 0 ? first : keyedQuestion(question, occurrence)
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
