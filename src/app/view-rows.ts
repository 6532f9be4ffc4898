import { tmpdir } from 'node:os'
import type { Environment } from '../config/file-config.js'
import type { Settings } from '../config/settings.js'
import type { Connectors } from '../connectors/connectors.js'
import { UserError } from '../core/errors.js'
import { listJsonMembers } from '../core/json.js'
import { plural } from '../core/text.js'
import { inspectColumns, type InputColumns, type RowInspection } from '../pipeline/inspect-rows.js'
import { buildInputOptions } from './inspect-input.js'
import { listCitations, readBasis, type BasisLine } from './view-basis.js'

export { parseEntries, type BasisLine } from './view-basis.js'

type Input = RowInspection['input']

/** The rows to show, and how to read their file. */
export interface ViewRequest {
  readonly settings: Settings
  readonly environment: Environment
  readonly connectors: Connectors
  readonly stdin: NodeJS.ReadableStream
  /** The column of names by the config, for a file that has it; `null` if the config names none. */
  readonly usualName: string | null
  /** Columns to show, with or without the prefix of added columns; `null` for a choice that fits the file. */
  readonly columns: readonly string[] | null
  /** A row is counted and shown if it meets all. */
  readonly conditions: readonly Condition[]
  readonly rowsMax: number
  /** Whether to return each shown row as a JSON object too. */
  readonly wantsObjects: boolean
}

/** A test of the cells of one column, named with or without the prefix. An empty cell is an empty text. */
export interface Condition {
  readonly column: string
  readonly isMet: (cell: string) => boolean
}

export interface ViewedRow {
  /** From 1, without the header. */
  readonly number: number
  /** The cells as text, by column; `null` if empty. */
  readonly cells: ReadonlyMap<string, string | null>
  /** The row as JSON text, if requested. */
  readonly json: string | null
}

/** The first rows of a file, and counts of all rows that meet the conditions. */
export interface RowsView {
  readonly label: string
  readonly columns: FileColumns
  /** The requested columns; `null` without such a request. */
  readonly chosen: readonly string[] | null
  readonly rowCount: number
  readonly matchingCount: number
  readonly rows: readonly ViewedRow[]
  /** Rows by status, most frequent first; `null` if the file has no such column. */
  readonly byStatus: ReadonlyMap<string, number> | null
  /** Rows by range of confidence; `null` if the file has no such column. */
  readonly byConfidence: ReadonlyMap<string, number> | null
  /** The column of the first condition with some of its values; `null` without conditions and without rows. */
  readonly values: { readonly column: string; readonly texts: ReadonlySet<string> } | null
  readonly notes: readonly string[]
}

/** The columns of a file, and the role of some. */
export interface FileColumns {
  /** In the order of the file. */
  readonly all: readonly string[]
  /** Prefix of the columns that a run added; `null` if the file has none. */
  readonly prefix: string | null
  /** The column with the names of the rows, or `null`. */
  readonly name: string | null
}

export interface RowView {
  readonly label: string
  readonly columns: FileColumns
  readonly chosen: readonly string[] | null
  readonly row: ViewedRow
  /** Sources of the fields: from a column of the row, or from the file or sheet next to it. */
  readonly basis: readonly BasisLine[]
  readonly notes: readonly string[]
}

/** Returns the name in the file of `status` or another added column: `enrich_status`, without a prefix `status`, or `null`. */
export function findAdded({ all, prefix }: FileColumns, name: string): string | null {
  const whole = (prefix ?? '') + name
  return all.includes(whole) ? whole : null
}

/** The heading of the numbers of the rows, which `--where` knows too. */
const rowNumberName = 'row'

/** Reads the first rows of any table and counts its rows. Changes nothing. Throws INPUT_*. */
export function viewRows(request: ViewRequest): Promise<RowsView> {
  return openView(request, async (input, label, columns, find) => {
    const isRowNumber = (column: string) => column === rowNumberName && !columns.all.includes(column)
    const tests = request.conditions.map(({ column, isMet }) => ({
      column: isRowNumber(column) ? null : find(column, '--where'),
      isMet,
    }))
    const first = tests[0]?.column ?? null
    const chosen = request.columns?.map((name) => find(name, '--columns')) ?? null
    const [status, confidence] = [findAdded(columns, 'status'), findAdded(columns, 'confidence')]
    const wanted = chosen ?? listShown(columns)
    const named = [...wanted, ...tests.map(({ column }) => column), status, confidence]
    const read = [...new Set(named.filter((column) => column !== null))]
    const rows: ViewedRow[] = []
    const [byStatus, byConfidence] = [new Map<string, number>(), new Map<string, number>()]
    const count = (counts: Map<string, number>, key: string) => counts.set(key, (counts.get(key) ?? 0) + 1)
    const values = new Set<string>()
    let [rowCount, matchingCount] = [0, 0]
    for await (const batch of input.rows.texts(read)) {
      for (const texts of batch) {
        rowCount++
        const getCell = (column: string | null) => texts[read.indexOf(column ?? '')] ?? null
        if (values.size < valuesMax) values.add(getCell(first) ?? '')
        if (
          !tests.every(({ column, isMet }) =>
            isMet(column === null ? String(rowCount) : (getCell(column) ?? '')),
          )
        )
          continue
        matchingCount++
        count(byStatus, getCell(status) ?? '')
        count(byConfidence, toConfidenceRange(getCell(confidence)))
        if (rows.length < request.rowsMax) rows.push(toViewedRow(rowCount, read, texts))
      }
    }
    const sorted = [...byStatus].sort(([, a], [, b]) => b - a)
    const ranges = [...confidenceRanges.map(({ label: range }) => range), otherRange, '']
    return {
      label,
      columns,
      chosen,
      rowCount,
      matchingCount,
      rows: request.wantsObjects
        ? await addObjects(input, rows, request.columns === null ? null : wanted)
        : rows,
      byStatus: status === null ? null : new Map(sorted),
      byConfidence:
        confidence === null
          ? null
          : new Map(
              ranges.flatMap((range) =>
                byConfidence.has(range) ? [[range, byConfidence.get(range) ?? 0]] : [],
              ),
            ),
      values: first === null || rowCount === 0 ? null : { column: first, texts: values },
      notes: input.listNotes(),
    }
  })
}

/** Number of values that are remembered for a message. */
const valuesMax = 12

/** Reads one row with its basis. `number`: from 1. Throws INPUT_*, and INPUT_ROW_MISSING beyond the end of the file. */
export function viewRow(request: ViewRequest, number: number): Promise<RowView> {
  return openView(request, async (input, label, columns, find) => {
    const chosen = request.columns?.map((name) => find(name, '--columns')) ?? null
    const basisColumn = findAdded(columns, 'basis')
    const read = chosen ?? columns.all
    const found = await findRow(input, label, read, number)
    const row = toViewedRow(number, read, found)
    const [whole = row] = request.wantsObjects ? await addObjects(input, [row], chosen) : [row]
    const readSources = () =>
      basisColumn === null
        ? readBasis(label, number, request.environment)
        : listCitations(row.cells.get(basisColumn) ?? '')
    return {
      label,
      columns,
      chosen,
      row: whole,
      basis: chosen === null ? await readSources() : [],
      notes: input.listNotes(),
    }
  })
}

type FindColumn = (name: string, flag: string) => string

async function openView<View>(
  { settings, connectors, stdin, usualName }: ViewRequest,
  read: (input: Input, label: string, columns: FileColumns, find: FindColumn) => Promise<View>,
): Promise<View> {
  // Copies of tables and objects are not kept next to a checkpoint, which may not exist.
  const options = { ...buildInputOptions(settings), spoolFolder: tmpdir() }
  const source = { input: options, columns: settings.input.columns, identifierUse: settings.identifierUse }
  return inspectColumns(source, { connectors, stdin }, ({ input, columns }) => {
    const prefix = findPrefix(input.columns)
    const label = input.files.map((file) => file.label).join(', ')
    return read(
      input,
      label,
      { all: input.columns, prefix, name: findNames(input, columns, { prefix, usualName }) },
      (name, flag) => {
        try {
          return columns.findAny(name, flag, prefix ?? '')
        } catch (error) {
          const shown = printedNames[name.toLowerCase()]
          if (prefix === null || shown === undefined) throw error
          return columns.findAny(shown, flag, prefix)
        }
      },
    )
  })
}

/** Columns that a table prints under another name. */
const printedNames: Readonly<Partial<Record<string, string>>> = {
  company: 'legal_name',
  source: 'source_url',
}

/** Columns of any run: the prefix of an added column stands before one of them. */
const addedNames = [
  'status',
  'confidence',
  'entity_id',
  'display_name',
  'legal_name',
  'reason',
  'run_id',
  'basis',
]

/** Finds the prefix with most of `addedNames`; `null` if no prefix has two of them. */
function findPrefix(columns: readonly string[]): string | null {
  const prefixes = columns.flatMap((column) =>
    addedNames.filter((name) => column.endsWith(name)).map((name) => column.slice(0, -name.length)),
  )
  const count = (prefix: string) => addedNames.filter((name) => columns.includes(prefix + name)).length
  const [best = ''] = [...new Set(prefixes)].sort((one, other) => count(other) - count(one))
  return best === '' || count(best) < 2 ? null : best
}

/** The column of names of the input, or `null`; an added column does not count. */
function findNames(
  input: Input,
  columns: InputColumns,
  { prefix, usualName }: { readonly prefix: string | null; readonly usualName: string | null },
): string | null {
  const isUsual = usualName !== null && input.columns.includes(usualName)
  const name = columns.propose(isUsual ? { name: usualName } : undefined).columns?.name ?? null
  const isAdded = name !== null && prefix !== null && name.startsWith(prefix)
  return name === null || isAdded ? columns.findNamesByCells(prefix) : name
}

/** Columns that a table may show without a request. */
const listShown = (columns: FileColumns): readonly (string | null)[] => {
  if (columns.prefix === null) return columns.all
  const added = [
    'display_name',
    'legal_name',
    'candidate_name',
    'candidate_legal_name',
    'source_url',
    'reason',
  ]
  const own = columns.all.find((column) => !column.startsWith(columns.prefix ?? ''))
  return [columns.name ?? own ?? null, ...[...added, 'error'].map((name) => findAdded(columns, name))]
}

function toViewedRow(
  number: number,
  columns: readonly string[],
  texts: readonly (string | null)[],
): ViewedRow {
  return { number, cells: new Map(columns.map((column, at) => [column, texts[at] ?? null])), json: null }
}

async function findRow(
  input: Input,
  label: string,
  columns: readonly string[],
  number: number,
): Promise<readonly (string | null)[]> {
  let rowCount = 0
  for await (const batch of input.rows.texts(columns)) {
    const row = batch[number - rowCount - 1]
    if (row !== undefined) return row
    rowCount += batch.length
  }
  throw new UserError('INPUT_ROW_MISSING', `${label} has ${plural(rowCount, 'row')}, and no row ${number}`, {
    hint: rowCount === 0 ? 'the file has only a header' : `pass --row with a number from 1 to ${rowCount}`,
  })
}

/** Adds the JSON text of rows, with the chosen columns alone. Values keep their types and digits. */
async function addObjects(
  input: Input,
  rows: readonly ViewedRow[],
  chosen: readonly (string | null)[] | null,
): Promise<readonly ViewedRow[]> {
  const found: ViewedRow[] = []
  const pending = [...rows]
  let first = 1
  for await (const batch of input.rows.objects()) {
    while (pending[0] !== undefined && pending[0].number < first + batch.length) {
      const row = pending.shift() as ViewedRow
      const json = batch[row.number - first] ?? '{}'
      found.push({ ...row, json: chosen === null ? json : selectMembers(json, row, chosen) })
    }
    if (pending.length === 0) break
    first += batch.length
  }
  return found
}

function selectMembers(json: string, { cells }: ViewedRow, chosen: readonly (string | null)[]): string {
  const members = new Map(listJsonMembers(json).map(({ key, raw }) => [key, raw]))
  // A member of a nested column has no member of its own.
  const texts = chosen.flatMap((column) =>
    column === null
      ? []
      : [`${JSON.stringify(column)}:${members.get(column) ?? JSON.stringify(cells.get(column) ?? null)}`],
  )
  return `{${texts.join(',')}}`
}

/** The ranges of docs/columns.md, with the best one in two parts. */
const confidenceRanges = [
  { label: '90–100', from: 90, to: 100 },
  { label: '80–89', from: 80, to: 89 },
  { label: '50–79', from: 50, to: 79 },
  { label: '20–49', from: 20, to: 49 },
  { label: '1–19', from: 1, to: 19 },
  { label: '0', from: 0, to: 0 },
] as const
const otherRange = 'other'

/** Empty for an empty cell, and `other` for a text that is no confidence. */
function toConfidenceRange(cell: string | null): string {
  if (cell === null || cell.trim() === '') return ''
  const value = Number(cell)
  return confidenceRanges.find(({ from, to }) => from <= value && value <= to)?.label ?? otherRange
}
