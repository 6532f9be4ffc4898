import { UserError } from '../../core/errors.js'
import { formatOfPath, listPossibleEncodings, type Encoding } from '../../core/file-formats.js'
import { openDelimited, openFileBytes } from '../../tables/text-tables.js'
import { openXlsx } from '../../tables/xlsx/xlsx-file.js'
import { candidatesMax } from '../../core/decisions.js'
import type { PlainColumn } from '../../pipeline/output/plain-table.js'
import type { CandidateView, QueueRow } from '../page-data.js'

/** The parts of a candidate that the file has. */
type TodoCandidate = Pick<CandidateView, 'entityId' | 'name' | 'legalName' | 'place' | 'confidence' | 'url'>

/** A lookup to be decided in a spreadsheet. */
export interface TodoLine {
  readonly row: QueueRow
  /** The reason for the doubt, in sentences. */
  readonly why: string
  /** The most likely first. */
  readonly candidates: readonly TodoCandidate[]
}

/** Verdict and note come before the candidates, next to the name. */
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
] as const satisfies readonly PlainColumn<TodoLine>[]

const candidateColumns = [
  { name: '', kind: 'text', of: ({ name, legalName }) => name ?? legalName },
  { name: ' legal name', kind: 'text', of: ({ legalName }) => legalName },
  { name: ' place', kind: 'text', of: ({ place }) => place },
  { name: ' id', kind: 'text', of: ({ entityId }) => entityId },
  { name: ' confidence', kind: 'integer', of: ({ confidence }) => confidence },
  { name: ' link', kind: 'text', of: ({ url }) => url },
] as const satisfies readonly PlainColumn<TodoCandidate>[]

type TodoColumnName = (typeof lookupColumns)[number]['name'] | (typeof lastColumn)['name']
type CandidatePart = (typeof candidateColumns)[number]['name']

/** A copy of the lookup in the last column. A difference shows that only some columns were sorted. */
const lastColumn = {
  name: 'lookup again',
  kind: 'text',
  of: ({ row }) => row.lookup,
} as const satisfies PlainColumn<TodoLine>

/** `number` starts at 1. */
const getCandidateColumn = (number: number, part: CandidatePart): string => `candidate ${number}${part}`

const candidateNumbers: readonly number[] = Array.from({ length: candidatesMax }, (_, at) => at + 1)

/** The columns of an exported file, in order. */
export const todoColumns: readonly PlainColumn<TodoLine>[] = [
  ...lookupColumns,
  ...candidateNumbers.flatMap((number) =>
    candidateColumns.map(({ name, kind, of }) => ({
      name: getCandidateColumn(number, name),
      kind,
      of: ({ candidates }: TodoLine) => {
        const candidate = candidates[number - 1]
        return candidate === undefined ? null : of(candidate)
      },
    })),
  ),
  lastColumn,
]

export interface FilledLine {
  /** Row number in the sheet, or line number in a CSV. */
  readonly number: number
  readonly lookup: string
  /** `null` if the file has no such column. */
  readonly name: string | null
  /** `null` if the file has no such column. Users may change it. */
  readonly location: string | null
  readonly verdict: string
  readonly note: string
  /** Ids of candidates 1, 2, …; `null` if the cell is empty. */
  readonly candidateIds: readonly (string | null)[]
  /** Candidates in the line, with or without an id. */
  readonly candidateCount: number
  /** The copy of the lookup in the last column; `null` if empty. */
  readonly lookupAgain: string | null
}

export interface FilledTodo {
  readonly path: string
  /** Unit of `number`. */
  readonly unit: 'row' | 'line'
  readonly lines: readonly FilledLine[]
  /** Notices about how the file was read. */
  readonly notices: readonly string[]
}

/** Cells by column, starting at 0. */
interface RawLine {
  readonly number: number
  readonly cells: ReadonlyMap<number, string>
}

/** Returns whether a lookup of the input may have this name, and this location if one is given. */
export type HasName = (lookup: string, name: string, location?: string) => boolean

/**
 * Reads a file of verdicts. Finds columns by name, in any order, and ignores others. `hasName` chooses between possible
 * encodings. Throws VERDICTS_INVALID if the columns for lookups or verdicts are missing, and INPUT_* if the file cannot be
 * read.
 */
export async function readTodo(path: string, hasName: HasName = () => true): Promise<FilledTodo> {
  const format = formatOfPath(path)
  if (format === 'xlsx') return readSheets(path)
  if (format === 'csv') return readText(path, hasName)
  throw new UserError('INPUT_FORMAT_UNKNOWN', `${path} is neither .xlsx nor .csv`, {
    hint: 'save the verdicts as .xlsx or .csv',
  })
}

/** `--encoding` is of the input, and this file may have another one: spreadsheets save in that of their system. */
async function readText(path: string, hasName: HasName): Promise<FilledTodo> {
  try {
    return await readDelimited(path)
  } catch (error) {
    if (!(error instanceof UserError) || !error.code.startsWith('INPUT_ENCODING_')) throw error
    const readings: FilledTodo[] = []
    for (const encoding of listPossibleEncodings(error)) {
      const todo = await readDelimited(path, encoding)
      if (todo.lines.every(({ lookup, name }) => name === null || hasName(lookup, name)))
        readings.push({
          ...todo,
          notices: [
            `${path}: read as ${encoding}: its names and places are then those of the list`,
            ...todo.notices,
          ],
        })
    }
    // Names may be ASCII only, with letters in the places.
    const countPlaces = ({ lines }: FilledTodo) =>
      lines.filter(({ lookup, name, location }) => hasName(lookup, name ?? '', location ?? '')).length
    const most = Math.max(...readings.map(countPlaces))
    const [first, ...others] = readings.filter((one) => countPlaces(one) === most)
    if (first !== undefined && others.every((other) => formatVerdicts(other) === formatVerdicts(first)))
      return first
    throw new UserError(error.code, error.message, {
      hint: 'save it as .xlsx, or as CSV UTF-8, and import it again',
      cause: error,
    })
  }
}

const formatVerdicts = ({ lines }: FilledTodo): string =>
  JSON.stringify(lines.map(({ verdict, note }) => [verdict, note]))

async function readDelimited(path: string, encoding?: Encoding): Promise<FilledTodo> {
  const file = await openDelimited(openFileBytes(path, path), { encoding })
  const found = new LineFinder()
  const choose = (header: readonly string[]) => {
    found.add({ number: 1, cells: new Map(header.entries()) })
    return null
  }
  for await (const records of file.scan(choose, { keepsRagged: true })) {
    for (const { cells, line, reason } of records) {
      if (reason !== null)
        throw createVerdictsError(`line ${line} of ${path} cannot be read: ${reason}`, 'fix the line')
      found.add({ number: line, cells: new Map(cells.entries()) })
    }
  }
  return { path, unit: 'line', lines: found.getLines(path), notices: file.notices }
}

/** Reads the first sheet that has the columns, because users add and move sheets. */
async function readSheets(path: string): Promise<FilledTodo> {
  const first = await openXlsx(path)
  first.close()
  const finders: LineFinder[] = []
  for (const { name } of first.sheets) {
    const file = await openXlsx(path, name, path)
    try {
      const found = new LineFinder()
      finders.push(found)
      for await (const rows of file.readRows()) {
        for (const { row, cells } of rows) found.add({ number: row, cells })
        if (found.isElsewhere) break
      }
      if (found.isComplete)
        return { path, unit: 'row', lines: found.getLines(path), notices: file.listNotices() }
    } finally {
      file.close()
    }
  }
  const nearest = finders.find(({ isBegun }) => isBegun) ?? finders[0] ?? new LineFinder()
  return { path, unit: 'row', lines: nearest.getLines(path), notices: [] }
}

/** The header may be on any of these lines, because users add titles above it. */
const headerLinesMax = 50

const needed = ['lookup', 'verdict'] as const satisfies readonly TodoColumnName[]

/** Finds the header and assigns columns to the lines below it. */
class LineFinder {
  /** Column numbers by name. */
  #columns: ReadonlyMap<string, number> | null = null
  #twice: string | null = null
  /** The missing column of an incomplete header. */
  #lacking: string | null = null
  #lineCount = 0
  readonly #lines: FilledLine[] = []

  add({ number, cells }: RawLine): void {
    this.#lineCount++
    if (this.#columns !== null) {
      this.#lines.push(parseLine(number, cells, this.#columns))
      return
    }
    if (this.#lineCount > headerLinesMax) return
    const names = [...cells].map(([column, text]) => [normalizeHeader(text), column] as const)
    const columns = new Map([...names].reverse())
    const missing = needed.filter((name) => !columns.has(name))
    if (missing.length === 0) {
      this.#columns = columns
      this.#twice = ownNames.find((name) => names.filter(([other]) => other === name).length > 1) ?? null
    } else if (missing.length < needed.length) this.#lacking ??= missing[0] ?? null
  }

  /** Whether a header, or a part of one, was found. */
  get isBegun(): boolean {
    return this.isComplete || this.#lacking !== null
  }

  get isComplete(): boolean {
    return this.#columns !== null
  }

  /** Whether the lines in which a header may be have none. */
  get isElsewhere(): boolean {
    return !this.isComplete && this.#lineCount >= headerLinesMax
  }

  getLines(path: string): readonly FilledLine[] {
    const hint = 'keep the headers of the exported file; you may move, hide and add columns'
    if (this.#twice !== null) throw createVerdictsError(`${path} has two columns "${this.#twice}"`, hint)
    if (this.isComplete) return this.#lines
    throw createVerdictsError(
      this.#lacking === null
        ? `${path} has no columns "lookup" and "verdict"`
        : `${path} has no column "${this.#lacking}"`,
      hint,
      this.#lacking === null ? notVerdictFile : undefined,
    )
  }
}

const normalizeHeader = (text: string): string =>
  text
    .replace(/[\s_]+/g, ' ')
    .trim()
    .toLowerCase()

/** Columns of a lookup that are read. */
const readNames = [
  'lookup',
  'name',
  'verdict',
  'note',
  'lookup again',
] as const satisfies readonly TodoColumnName[]

const ownNames = [...readNames, ...candidateNumbers.map((number) => getCandidateColumn(number, ' id'))]

function parseLine(
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
    location: cell('location'),
    verdict: cell('verdict') ?? '',
    note: cell('note') ?? '',
    candidateIds: candidateNumbers.map((candidate) => cell(getCandidateColumn(candidate, ' id')) || null),
    candidateCount: candidateNumbers.filter((candidate) =>
      namingParts.some((part) => cell(getCandidateColumn(candidate, part))),
    ).length,
    lookupAgain: cell('lookup again')?.toLowerCase() || null,
  }
}

/** Columns of which at least one is filled for each candidate. */
const namingParts = ['', ' legal name', ' id'] as const satisfies readonly CandidatePart[]

/** Cause of an error for a file that has no verdict columns at all. */
export const notVerdictFile = Symbol('not a file of verdicts')

export function createVerdictsError(message: string, hint: string, cause?: unknown): UserError {
  return new UserError('VERDICTS_INVALID', message, { hint, cause })
}

type Instruction = readonly [what: string, meaning: string]

/** The instructions on the second sheet. */
const instructionLines: readonly Instruction[] = [
  ['1 to 5', 'It is this candidate.'],
  ['yes', 'It is the only candidate.'],
  ['none', 'No known company matches.'],
  ['the id of a company (siq_…)', 'It is this company. It may be missing from the candidates.'],
  ['nothing', 'Undecided: the lookup stays in the queue.'],
  ['note', 'A comment for later readers of the decision.'],
  [
    'what may be changed',
    'You may sort, insert and delete rows, move, hide and add columns, and write a title above the table. Do not change the headers or the columns lookup, name, lookup again and the ids of the candidates. Sort all columns together.',
  ],
  [
    'then',
    'Save the file as .xlsx or .csv and run: enrich review FILE --import todo.xlsx. If a verdict is invalid, nothing is imported.',
  ],
]

export const instructions = {
  name: 'how to fill in',
  columns: [
    { name: 'in the column verdict', kind: 'text', of: ([what]) => what },
    { name: 'means', kind: 'text', of: ([, meaning]) => meaning },
  ] satisfies readonly PlainColumn<Instruction>[],
  rows: [instructionLines],
}
