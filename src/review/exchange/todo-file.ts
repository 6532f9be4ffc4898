import { UserError } from '../../core/errors.js'
import { formatOfPath } from '../../pipeline/input/input.js'
import { fileBytes } from '../../tables/bytes.js'
import { scannedRecords } from '../../tables/csv-scanner.js'
import { openDelimited } from '../../tables/delimited.js'
import { openXlsx } from '../../tables/xlsx/xlsx-file.js'
import { candidatesMax } from '../../pipeline/answers/candidate.js'
import type { PlainColumn, PlainRow } from '../../pipeline/output/plain-table.js'
import type { CandidateView, QueueRow } from '../page-data.js'

/** What a spreadsheet shows of a candidate. */
type TodoCandidate = Pick<CandidateView, 'entityId' | 'name' | 'legalName' | 'place' | 'confidence' | 'url'>

/** A lookup to be settled in a spreadsheet. */
export interface TodoLine {
  readonly row: QueueRow
  /** Why it is doubtful, in plain sentences. */
  readonly why: string
  /** The likeliest first. */
  readonly candidates: readonly TodoCandidate[]
}

interface TodoColumn<Found> extends PlainColumn {
  readonly of: (found: Found) => string | number | null
}

/** Where people type stands before the candidates: it stays beside the name that it is about. */
const lookupColumns = [
  { name: 'lookup', kind: 'text', of: ({ row }) => row.lookup },
  { name: 'rows', kind: 'integer', of: ({ row }) => row.rowCount },
  { name: 'name', kind: 'text', of: ({ row }) => row.name },
  { name: 'location', kind: 'text', of: ({ row }) => row.location },
  { name: 'status', kind: 'text', of: ({ row }) => row.status },
  { name: 'confidence', kind: 'integer', of: ({ row }) => row.confidence },
  { name: 'why', kind: 'text', of: ({ why }) => why },
  { name: 'verdict', kind: 'text', of: () => null },
  { name: 'note', kind: 'text', of: () => null },
] as const satisfies readonly TodoColumn<TodoLine>[]

const candidateColumns = [
  { name: '', kind: 'text', of: ({ name, legalName }) => name ?? legalName },
  { name: ' legal name', kind: 'text', of: ({ legalName }) => legalName },
  { name: ' place', kind: 'text', of: ({ place }) => place },
  { name: ' id', kind: 'text', of: ({ entityId }) => entityId },
  { name: ' confidence', kind: 'integer', of: ({ confidence }) => confidence },
  { name: ' link', kind: 'text', of: ({ url }) => url },
] as const satisfies readonly TodoColumn<TodoCandidate>[]

type TodoColumnName = (typeof lookupColumns)[number]['name'] | (typeof lastColumn)['name']
type CandidatePart = (typeof candidateColumns)[number]['name']

/** The lookup once more, behind all else: where it is another one, some of the columns were sorted without the others. */
const lastColumn = {
  name: 'lookup again',
  kind: 'text',
  of: ({ row }) => row.lookup,
} as const satisfies TodoColumn<TodoLine>

/** Numbered from 1, as people type it. */
const candidateColumn = (number: number, part: CandidatePart): string => `candidate ${number}${part}`

const candidateNumbers: readonly number[] = Array.from({ length: candidatesMax }, (_, at) => at + 1)

/** The columns of a file of doubtful lookups, in their order. */
export const todoColumns: readonly PlainColumn[] = [
  ...lookupColumns.map(({ name, kind }) => ({ name, kind })),
  ...candidateNumbers.flatMap((number) =>
    candidateColumns.map(({ name, kind }) => ({ name: candidateColumn(number, name), kind })),
  ),
  { name: lastColumn.name, kind: lastColumn.kind },
]

export function todoRow(line: TodoLine): PlainRow {
  return [
    ...lookupColumns.map(({ of }) => of(line)),
    ...candidateNumbers.flatMap((number) => {
      const candidate = line.candidates[number - 1]
      return candidateColumns.map(({ of }) => (candidate === undefined ? null : of(candidate)))
    }),
    lastColumn.of(line),
  ]
}

/** A line of a file of verdicts, as it was filled in. */
export interface FilledLine {
  /** Its row in the sheet, or its line in a CSV. */
  readonly number: number
  readonly lookup: string
  /** Null where the file has no such column any more. */
  readonly name: string | null
  readonly verdict: string
  readonly note: string
  /** By their numbers, from 1 on, as the file has them; null where it has none. */
  readonly candidateIds: readonly (string | null)[]
  /** Candidates that the line shows, with or without an id. */
  readonly candidateCount: number
  /** What stands behind the candidates, where it is to be the same lookup; null where nothing does. */
  readonly lookupAgain: string | null
}

export interface FilledTodo {
  readonly path: string
  /** What `number` counts. */
  readonly unit: 'row' | 'line'
  readonly lines: readonly FilledLine[]
  /** What the user should know of how the file is read. */
  readonly notices: readonly string[]
}

/** Cells by their columns, counted from 0. */
interface RawLine {
  readonly number: number
  readonly cells: ReadonlyMap<number, string>
}

/**
 * Reads a file of verdicts, whose columns are known by their names and may stand in any order, among others. Throws
 * VERDICTS_INVALID where it has none for lookups or for verdicts, and INPUT_* where it cannot be read.
 */
export async function readTodo(path: string): Promise<FilledTodo> {
  const format = formatOfPath(path)
  if (format === 'xlsx') return readSheets(path)
  if (format === 'csv') return readDelimited(path)
  throw new UserError('INPUT_FORMAT_UNKNOWN', `${path} is neither .xlsx nor .csv`, {
    hint: 'save the verdicts as one of these',
  })
}

async function readDelimited(path: string): Promise<FilledTodo> {
  const file = await openDelimited(fileBytes(path, path), {})
  const found = new LineFinder()
  const choose = (header: readonly string[]) => {
    found.add({ number: 1, cells: new Map(header.entries()) })
    return null
  }
  for await (const records of file.records(scannedRecords({ keepsRagged: true }), choose)) {
    for (const { cells, line, reason } of records) {
      if (reason !== null) throw invalid(`line ${line} of ${path} cannot be read: ${reason}`, 'mend the line')
      found.add({ number: line, cells: new Map(cells.entries()) })
    }
  }
  return { path, unit: 'line', lines: found.lines(path), notices: file.notices }
}

/** The first sheet that has the columns: people add sheets of their own, and move them. */
async function readSheets(path: string): Promise<FilledTodo> {
  const first = await openXlsx(path)
  first.close()
  const finders: LineFinder[] = []
  for (const { name } of first.sheets) {
    const file = await openXlsx(path, name, path)
    try {
      const found = new LineFinder()
      finders.push(found)
      for await (const rows of file.rows()) {
        for (const { row, cells } of rows) found.add({ number: row, cells })
        if (found.isElsewhere) break
      }
      if (found.isComplete) return { path, unit: 'row', lines: found.lines(path), notices: file.notices() }
    } finally {
      file.close()
    }
  }
  const nearest = finders.find(({ isBegun }) => isBegun) ?? finders[0] ?? new LineFinder()
  return { path, unit: 'row', lines: nearest.lines(path), notices: [] }
}

/** The header is looked for in these lines: people write titles above it. */
const headerLinesMax = 50

const needed = ['lookup', 'verdict'] as const satisfies readonly TodoColumnName[]

/** Finds the header, and gives the lines below it their columns. */
class LineFinder {
  /** By the names of columns: where each stands. */
  #columns: ReadonlyMap<string, number> | null = null
  #twice: string | null = null
  /** Of the header that has some of what is needed, what it lacks. */
  #lacking: string | null = null
  #lineCount = 0
  readonly #lines: FilledLine[] = []

  add({ number, cells }: RawLine): void {
    this.#lineCount++
    if (this.#columns !== null) {
      this.#lines.push(filledLine(number, cells, this.#columns))
      return
    }
    if (this.#lineCount > headerLinesMax) return
    const names = [...cells].map(([column, text]) => [headerName(text), column] as const)
    const columns = new Map([...names].reverse())
    const missing = needed.filter((name) => !columns.has(name))
    if (missing.length === 0) {
      this.#columns = columns
      this.#twice = ownNames.find((name) => names.filter(([other]) => other === name).length > 1) ?? null
    } else if (missing.length < needed.length) this.#lacking ??= missing[0] ?? null
  }

  /** It has the header, or a part of it. */
  get isBegun(): boolean {
    return this.isComplete || this.#lacking !== null
  }

  get isComplete(): boolean {
    return this.#columns !== null
  }

  /** There is no header where one may stand. */
  get isElsewhere(): boolean {
    return !this.isComplete && this.#lineCount >= headerLinesMax
  }

  /** Throws VERDICTS_INVALID. */
  lines(path: string): readonly FilledLine[] {
    const hint = 'keep the headers that enrich review --export writes; columns may be moved, hidden and added'
    if (this.#twice !== null) throw invalid(`${path} has two columns "${this.#twice}"`, hint)
    if (this.isComplete) return this.#lines
    throw invalid(
      this.#lacking === null
        ? `${path} has no columns "lookup" and "verdict"`
        : `${path} has no column "${this.#lacking}"`,
      hint,
      this.#lacking === null ? notVerdicts : undefined,
    )
  }
}

const headerName = (text: string): string =>
  text
    .replace(/[\s_]+/g, ' ')
    .trim()
    .toLowerCase()

/** Columns that are read. */
const ownNames = [
  ...(['lookup', 'name', 'verdict', 'note', 'lookup again'] as const satisfies readonly TodoColumnName[]),
  ...candidateNumbers.map((number) => candidateColumn(number, ' id')),
]

function filledLine(
  number: number,
  cells: ReadonlyMap<number, string>,
  columns: ReadonlyMap<string, number>,
): FilledLine {
  const cell = (name: string): string | null => {
    const column = columns.get(name)
    return column === undefined ? null : (cells.get(column) ?? '').trim()
  }
  return {
    number,
    lookup: (cell('lookup') ?? '').toLowerCase(),
    name: cell('name'),
    verdict: cell('verdict') ?? '',
    note: cell('note') ?? '',
    candidateIds: candidateNumbers.map((candidate) => cell(candidateColumn(candidate, ' id')) || null),
    candidateCount: candidateNumbers.filter((candidate) =>
      namingParts.some((part) => cell(candidateColumn(candidate, part))),
    ).length,
    lookupAgain: cell('lookup again')?.toLowerCase() || null,
  }
}

/** By which a line shows a candidate. */
const namingParts = ['', ' legal name', ' id'] as const satisfies readonly CandidatePart[]

/** The cause of an error that says that a file is no file of verdicts at all. */
export const notVerdicts = Symbol('not a file of verdicts')

export function invalid(message: string, hint: string, cause?: unknown): UserError {
  return new UserError('VERDICTS_INVALID', message, { hint, cause })
}
