import type { WrittenCell } from '../../tables/writers.js'
import { escapeFormula } from '../../core/text.js'
import { UserError } from '../../core/errors.js'
import { isSameFile } from '../../platform/files.js'
import type { WriteMode } from '../../connectors/connectors.js'
import type { SourceFile } from '../input/input.js'
import {
  noAccess,
  resolveMemoryBytes,
  resolveOutputForm,
  type OutputForm,
  type RemoteAccess,
  type RemoteOutput,
  type RequestedFormat,
} from './output-format.js'
import { publishMain, stageAndWrite } from './publish.js'
import type { WriteOptions, WrittenInput } from './joined-rows.js'
import { toLinkCell } from './xlsx.js'
import { StagedFile } from './staged-file.js'
import { assertOutputUsable, toWriteError } from './output-path.js'

export { basisColumns } from './answer-cells.js'
export { getBasisPath } from './output-format.js'
export { assertExtraOutputUsable, assertRegular, toWriteError } from './output-path.js'

export interface PlainColumn<Item> {
  readonly name: string
  /** In `text`, formulas are neutralised; `user_text` stays unchanged. */
  readonly kind: 'text' | 'user_text' | 'integer'
  readonly of: (item: Item) => PlainCell
}

type PlainCell = string | number | null

/** A table that does not come from an input: a row for each item. */
interface PlainTable<Item, Note = never> {
  /** Name of the sheet. */
  readonly name: string
  readonly columns: readonly PlainColumn<Item>[]
  readonly rows: Iterable<readonly Item[]> | AsyncIterable<readonly Item[]>
  /** An additional sheet; ignored by formats without sheets. */
  readonly notes?: Omit<PlainTable<Note>, 'notes'>
}

interface PlainTableTarget extends OutputForm {
  /** `-` for standard output. */
  readonly path: string
  readonly bom: boolean
  /** Delimiter of the list that the table is about; null or absent if it is no CSV. */
  readonly listDelimiter?: string | null
  /** Null if the path is no address. */
  readonly remote?: RemoteOutput | null
  /** Memory limit for writing Parquet, in bytes. */
  readonly memoryBytes: number
  readonly stdout?: NodeJS.WritableStream | undefined
  readonly signal?: AbortSignal | undefined
}

/** The user's settings for a table. */
interface TableRequest extends Pick<PlainTableTarget, 'path' | 'listDelimiter'> {
  readonly format?: RequestedFormat | undefined
  readonly bom?: boolean | undefined
  /** Memory limit for writing Parquet, like `1GB`. */
  readonly memory?: string | undefined
  /** Access to tables and objects. */
  readonly access?: RemoteAccess
  /** How rows are put into a table of a database; defaults to `replace`. */
  readonly mode?: WriteMode
}

/** Determines the format of a table. Throws OUTPUT_FORMAT_UNKNOWN, MEMORY_SHORT. */
export const resolveTable = ({
  format,
  bom = false,
  memory,
  access = noAccess,
  mode = 'replace',
  ...place
}: TableRequest): PlainTableTarget => ({
  ...place,
  bom,
  memoryBytes: resolveMemoryBytes(memory),
  remote: { ...access, mode, keyColumn: null },
  ...resolveOutputForm(place.path, format),
})

/**
 * Checks the file that a flag names, before anything is submitted. Throws USAGE_INVALID if the command writes it as one
 * of `others`, OUTPUT_IS_INPUT, OUTPUT_UNWRITABLE, DISK_FULL.
 */
export function assertFileApart(
  flag: '--changes' | '--report' | '--export',
  path: string,
  inputFiles: readonly SourceFile[],
  others: readonly string[] = [],
): void {
  const other = others.find((one) => one === path || (one !== '-' && isSameFile(one, path)))
  if (other !== undefined) {
    throw new UserError('USAGE_INVALID', `${flag} ${path} is the output ${other}`, {
      hint: `name another file for the ${flag.slice(2)}`,
    })
  }
  // All formats but CSV with a basis, and Parquet, have the same requirements.
  assertOutputUsable(inputFiles, path, 'ndjson')
}

/**
 * Writes a table and publishes it as a whole. On failure and on abort, an existing file is left unchanged. Throws
 * OUTPUT_UNWRITABLE, DISK_FULL and the signal's reason.
 *
 *     await publishTable({ name: 'companies', columns, rows: [['Acme Ltd']] }, resolveTable({ path: 'companies.xlsx' }))
 */
export async function publishTable<Item, Note>(
  table: PlainTable<Item, Note>,
  target: PlainTableTarget,
): Promise<void> {
  await stageAndWrite(createOptions(table, target), (file, _basis, folder) =>
    publishMain(file, folder, target.stdout),
  )
}

/** Writes the table without rows under a temporary name, and removes it. Throws the same errors as `publishTable`. */
export async function tryTable<Item>(
  table: Omit<PlainTable<Item>, 'rows'>,
  target: PlainTableTarget,
): Promise<void> {
  if (target.path !== '-')
    await stageAndWrite(createOptions({ ...table, rows: [] }, target), (file) => file.tryPublishing())
}

function createOptions<Item, Note>(table: PlainTable<Item, Note>, target: PlainTableTarget): WriteOptions {
  const { path, format, isPacked, bom, remote = null, memoryBytes, signal } = target
  return {
    input: toInput(table, target.listDelimiter ?? null),
    output: { path, format, isPacked, bom, remote, columns: [], basis: 'none', memoryBytes },
    nameColumn: '',
    answers: null,
    rowCount: null,
    metadata: {},
    sheetBehind: table.notes === undefined ? undefined : toInput(table.notes, null),
    signal,
  }
}

/** Returns an input whose rows are written without answers, in CSV with `delimiter`. */
function toInput<Item>(table: Omit<PlainTable<Item>, 'notes'>, delimiter: string | null): WrittenInput {
  const { name, columns, rows: items } = table
  const names = columns.map((column) => column.name)
  const mapRows = async function* <Mapped>(map: (row: readonly PlainCell[]) => Mapped) {
    for await (const batch of items) yield batch.map((item) => map(columns.map(({ of }) => of(item))))
  }
  const keys = names.map((key) => JSON.stringify(key))
  const memberKeys = names.map((_, at) => `"c${at}"`)
  const formatCsvCell = (cell: PlainCell, at: number) => {
    const text = cell === null ? '' : String(cell)
    return columns[at]?.kind === 'text' ? escapeFormula(text) : text
  }
  return {
    columns: names,
    files: [],
    layout: {
      delimiter,
      sheetName: name,
      sheetColumns: columns.map((column) => ({ name: column.name, isText: column.kind !== 'integer' })),
    },
    rows: {
      texts: () => mapRows((row) => row.map(formatCsvCell)),
      objects: () => mapRows((row) => `{${formatMembers(keys, row)}}`),
      cells: () => mapRows((row) => row.map(toSheetCell)),
      parquet: () => ({
        kind: 'members',
        types: columns.map(({ kind }) => (kind === 'integer' ? kind : 'text')),
        readMembers: () => mapRows((row) => ({ members: formatMembers(memberKeys, row), cells: [] })),
      }),
    },
  }
}

const formatMembers = (keys: readonly string[], row: readonly PlainCell[]): string =>
  keys.map((key, at) => `${key}:${JSON.stringify(row[at] ?? null)}`).join(',')

function toSheetCell(cell: PlainCell): WrittenCell {
  if (cell === null || cell === '') return null
  return typeof cell === 'number' ? { kind: 'number', value: String(cell), format: 0 } : toLinkCell(cell)
}

/** Publishes a text as a file. Throws OUTPUT_UNWRITABLE and DISK_FULL. */
export async function publishText(path: string, text: string): Promise<void> {
  let file: StagedFile | null = null
  try {
    file = new StagedFile(path)
    await file.write(text)
    await file.close()
    await file.publish()
  } catch (error) {
    throw toWriteError(path, error)
  } finally {
    await file?.discard()
  }
}
